// Memory that payload goes to or comes from: what the CPU sees of it, and the dma-buf that a NIC is given.
#pragma once

#include <memory>
#include <span>

#include "validation/agent/file_handle.hpp"
#include "validation/agent/traffic.hpp"

namespace peerpath::agent {

/// Memory that the CPU does not map and works on a copy of: takes ranges from one to the other.
class Shadowed {
 public:
  virtual ~Shadowed() = default;
  virtual Expected<void> fetch(std::uint64_t offset, std::uint64_t size) = 0;
  virtual Expected<void> store(std::uint64_t offset, std::uint64_t size) = 0;
};

/// Move-only; unmaps and closes what it holds.
class Buffer {
 public:
  Buffer() = default;
  /// `copy` is of `memory`, which owns both.
  Buffer(std::span<unsigned char> copy, FileHandle dmabuf, std::unique_ptr<Shadowed> memory)
      : memory_{std::move(memory)}, bytes_{copy}, dmabuf_{std::move(dmabuf)} {}
  Buffer(std::span<unsigned char> bytes, FileHandle dmabuf, FileHandle owner)
      : bytes_{bytes}, dmabuf_{std::move(dmabuf)}, owner_{std::move(owner)} {}
  Buffer(Buffer&& other) noexcept
      : memory_{std::move(other.memory_)},
        bytes_{std::exchange(other.bytes_, {})},
        dmabuf_{std::move(other.dmabuf_)},
        owner_{std::move(other.owner_)} {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  /// The memory itself where the CPU maps it; else a copy, of the same size.
  std::span<unsigned char> bytes() const { return bytes_; }
  bool mapped() const { return !memory_; }
  /// Before `bytes` of this range are read, and after they were written. Nothing is to do for mapped memory.
  Expected<void> fetch(std::uint64_t offset, std::uint64_t size) const {
    return memory_ ? memory_->fetch(offset, size) : Expected<void>{};
  }
  Expected<void> store(std::uint64_t offset, std::uint64_t size) const {
    return memory_ ? memory_->store(offset, size) : Expected<void>{};
  }
  /// -1 for memory of the process.
  int dmabuf() const { return dmabuf_.get(); }

 private:
  std::unique_ptr<Shadowed> memory_;
  std::span<unsigned char> bytes_;
  FileHandle dmabuf_, owner_;
};

Expected<Buffer> make_buffer(const Memory& memory);

/// `cuda` and `hip`; unsupported without their driver library, without a GPU, where the driver exports no dma-buf, and
/// in a static program.
Expected<Buffer> make_gpu_buffer(const Memory& memory);

}  // namespace peerpath::agent
