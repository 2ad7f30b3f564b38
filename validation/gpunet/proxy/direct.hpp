// GPU memory of a node that NICs are to reach: a dma-buf, cut into slices for connections.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "peerpath/validation/gpunet/memory.hpp"

namespace peerpath::gpunet {

/// Made by a program for one node, which puts memory behind it, and given to the channels of that node. The first NIC
/// that refuses it ends the attempt: everything goes through bounce buffers then.
class DirectMemory {
 public:
  /// A dma-buf of a file of memory, or -1 and errno; where threads of the CPU stand for the GPU.
  using Export = std::function<int(int file, std::uint64_t bytes)>;
  explicit DirectMemory(unsigned slices, Export by = export_by_udmabuf);
  ~DirectMemory();
  DirectMemory(const DirectMemory&) = delete;
  DirectMemory& operator=(const DirectMemory&) = delete;

  std::uint64_t bytes(std::uint64_t ring_bytes) const { return free_at_first_ * (ring_bytes + direct_in_bytes); }
  /// By the node: memory at `base`, an address that nobody here uses as one, as `dmabuf`, which is taken over; in
  /// `net`.
  void offer(unsigned char* base, int dmabuf, Net& net);
  int export_file(int file, std::uint64_t bytes) const { return export_(file, bytes); }
  /// There is none, says the node, or a NIC does not take it.
  void refuse(const std::string& why);
  std::string refused() const;

  /// By a channel: a slice, or -1; back with it.
  int take();
  void give(int slice);
  int dmabuf() const { return dmabuf_; }
  unsigned char* base() const { return base_; }
  std::uint64_t all_bytes() const { return bytes(ring_bytes_); }
  /// Offsets in the memory.
  bool holds(const void* at) const;
  std::uint64_t offset_of(const void* at) const;
  std::uint64_t slot_offset(int slice, std::uint32_t slot) const;

 private:
  static int export_by_udmabuf(int file, std::uint64_t bytes);

  unsigned free_at_first_;
  Export export_;
  unsigned char* base_ = nullptr;
  int dmabuf_ = -1;
  std::uint64_t ring_bytes_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> free_;
  std::string refused_;
};

}  // namespace peerpath::gpunet
