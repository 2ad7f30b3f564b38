// How a proxy works.
#pragma once

#include <chrono>
#include <cstdint>

#include "validation/gpunet/proxy/channel.hpp"
#include "validation/gpunet/proxy/direct.hpp"

namespace peerpath::gpunet {

struct ProxyOptions {
  unsigned threads = 1;                                 ///< each has sockets of its own
  std::chrono::microseconds spin{100};                  ///< without work before a thread sleeps
  std::chrono::microseconds nap{200};                   ///< longest sleep: a GPU cannot wake it
  unsigned directly = 4;                                ///< most connections of a thread that are asked without epoll
  std::chrono::milliseconds linger{2000};               ///< for what a closed socket has not sent
  std::uint64_t buffer_bytes = std::uint64_t{1} << 20;  ///< of the kernel's UNIX sockets
  MakeChannel others{};                                 ///< validation/gpunet/verbs, for Family::rdma
  std::shared_ptr<DirectMemory> direct{};               ///< of this node alone, for `others`; null: bounce buffers
};

}  // namespace peerpath::gpunet
