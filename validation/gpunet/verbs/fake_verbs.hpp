// A NIC of one process, in place of libibverbs: what a queue pair sends is copied into what its peer posted, a while
// after it was posted. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace peerpath::gpunet::fake {

struct Nic {
  /// How it reaches memory: of a dma-buf, null if it cannot, and to give that back; and a copy to or from any.
  std::function<unsigned char*(int dmabuf, std::size_t bytes)> map;
  std::function<void(unsigned char* at, std::size_t bytes)> unmap;
  std::function<void(unsigned char* to, const unsigned char* from, std::size_t bytes)> copy;
  bool takes_dmabufs = true;
  int delay = 3;                           ///< polls of the sender's queue before a message goes
  std::uint64_t dmabuf_registrations = 0;  ///< that were tried
  std::uint64_t from_dmabuf = 0, into_dmabuf = 0, from_host = 0, into_host = 0;  ///< bytes of messages
};

/// One that maps dma-bufs into the process.
Nic mapping_nic();

/// The one NIC. Set up before it is opened; read when all of its queue pairs are gone.
Nic& nic();

}  // namespace peerpath::gpunet::fake
