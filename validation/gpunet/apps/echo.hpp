// A server that sends back what it gets, a connection at a time for each block.
#pragma once

#include "validation/gpunet/apps/task.hpp"

namespace peerpath::gpunet::apps {

/// `bytes`: of a block's buffer in `memory`; `count`: connections of each block, 0: until the net is stopped.
/// results[block] is the number of bytes sent back.
template <Threadblock Block>
constexpr void echo_serve(Block& block, const Task& task) {
  const int listener = listen_for_all(block, task, 1024);
  if (listener < 0) return;
  auto* buffer = task.memory + block.index() * task.bytes;
  std::uint64_t served = 0;
  for (std::uint64_t n = 0; task.count == 0 || n < task.count; ++n) {
    const int socket = gaccept(block, listener);
    if (socket < 0) break;
    for (;;) {
      const auto got = grecv(block, socket, buffer, task.bytes);
      if (got <= 0) break;
      if (gsend(block, socket, buffer, static_cast<std::uint64_t>(got)) != got) break;
      served += static_cast<std::uint64_t>(got);
    }
    gclose(block, socket);
  }
  if (block.thread() == 0) task.results[block.index()] = served;
}

}  // namespace peerpath::gpunet::apps
