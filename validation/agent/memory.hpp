// Memory that payload goes to or comes from: a CPU mapping, and the dma-buf that a NIC is given.
#pragma once

#include <span>

#include "validation/agent/file_handle.hpp"
#include "validation/agent/traffic.hpp"

namespace peerpath::agent {

/// Move-only; unmaps and closes what it holds.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::span<unsigned char> bytes, FileHandle dmabuf, FileHandle owner)
      : bytes_{bytes}, dmabuf_{std::move(dmabuf)}, owner_{std::move(owner)} {}
  Buffer(Buffer&& other) noexcept
      : bytes_{std::exchange(other.bytes_, {})}, dmabuf_{std::move(other.dmabuf_)}, owner_{std::move(other.owner_)} {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  std::span<unsigned char> bytes() const { return bytes_; }
  /// -1 for memory of the process.
  int dmabuf() const { return dmabuf_.get(); }

 private:
  std::span<unsigned char> bytes_;
  FileHandle dmabuf_, owner_;
};

Expected<Buffer> make_buffer(const Memory& memory);

}  // namespace peerpath::agent
