// Messages one way, from block to block, each with content that the receiver checks.
#pragma once

#include "validation/backends/gpu/kernel_arguments.hpp"
#include "validation/gpunet/apps/task.hpp"

namespace peerpath::gpunet::apps {

/// What a receiver found, for each block.
struct StreamResult {
  std::uint64_t bytes, wrong_words, start_ns, end_ns;
};
inline constexpr std::uint32_t stream_result_words = sizeof(StreamResult) / sizeof(std::uint64_t);

/// Block b sends `count` messages of `bytes` to the address of worker b. They begin at other words of one pattern.
template <Threadblock Block>
constexpr void stream_send(Block& block, const Task& task) {
  auto* words = reinterpret_cast<std::uint32_t*>(task.memory + block.index() * 2 * task.bytes);
  for (std::uint64_t i = block.thread(); i < 2 * task.bytes / 4; i += block.threads())
    words[i] = gpu_backend::pattern(i, block.index());
  block.sync();
  const int socket = connect_soon(block, address_of(task.address, block.index()));
  if (socket < 0) return;
  for (std::uint64_t n = 0; n < task.count; ++n) {
    const auto start = n * 16 % task.bytes;
    if (gsend(block, socket, reinterpret_cast<unsigned char*>(words) + start, task.bytes) < 0) break;
  }
  gclose(block, socket);
}

template <Threadblock Block>
constexpr void stream_receive(Block& block, const Task& task) {
  auto* buffer = task.memory + block.index() * task.bytes;
  const auto address = address_of(task.address, block.index());
  const int listener = gsocket(block, address.family);
  if (listener < 0 || gbind(block, listener, address) < 0 || glisten(block, listener, 1) < 0) return;
  const int socket = gaccept(block, listener);
  StreamResult result{};
  for (std::uint64_t n = 0; socket >= 0 && n < task.count; ++n) {
    if (grecv_all(block, socket, buffer, task.bytes) != static_cast<std::int64_t>(task.bytes)) break;
    if (n == 0) result.start_ns = block.now();
    result.bytes += task.bytes;
    const auto first = n * 16 % task.bytes / 4;
    const auto* words = reinterpret_cast<const std::uint32_t*>(buffer);
    const bool look = task.check_every != 0 &&
                      (n % task.check_every == 0 || n + 1 == task.count);  // a block looks more slowly than it receives
    for (std::uint64_t i = block.thread(); look && i < task.bytes / 4; i += block.threads())
      result.wrong_words += words[i] != gpu_backend::pattern(first + i, block.index());
    block.sync();
  }
  result.end_ns = block.now();
  auto* results = reinterpret_cast<StreamResult*>(task.results) + block.index();
  if (result.wrong_words) block.add(&results->wrong_words, result.wrong_words);
  if (block.thread() == 0) {
    results->bytes = result.bytes;
    results->start_ns = result.start_ns;
    results->end_ns = result.end_ns;
  }
  gclose(block, socket);
  gclose(block, listener);
}

}  // namespace peerpath::gpunet::apps
