// Memory for packets on their way, used again: giving pages back to the system and faulting them in anew costs more
// than what is done with them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace peerpath::nic {

/// Buffers of at least the size that is asked for, with any contents.
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
