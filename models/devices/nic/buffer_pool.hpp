// Reusable memory for packets in flight. Returning pages to the system and faulting them in again costs more than the
// work on the packets.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace peerpath::nic {

/// Hands out buffers of at least the requested size; their contents are undefined.
class BufferPool {
 public:
  using Buffer = std::vector<std::uint8_t>;

  BufferPool() { free_.reserve(most_kept); }

  Buffer take(std::size_t size) {
    Buffer buffer;
    if (!free_.empty()) {
      buffer = std::move(free_.back());
      free_.pop_back();
    }
    if (buffer.size() < size) buffer.resize(size);
    return buffer;
  }
  /// Takes no memory.
  void give_back(Buffer&& buffer) {
    if (!buffer.empty() && free_.size() < most_kept) free_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::size_t most_kept = 32;
  std::vector<Buffer> free_;
};

}  // namespace peerpath::nic
