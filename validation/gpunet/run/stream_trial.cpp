#include <algorithm>
#include <thread>

#include "validation/backends/gpu/kernel_arguments.hpp"
#include "validation/gpunet/apps/stream.hpp"
#include "validation/gpunet/run/peer.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace peerpath::gpunet::run {

Timing stream(const Trial& trial, std::uint64_t bytes, std::uint64_t messages, unsigned blocks, unsigned proxies,
              std::uint32_t check_every, int to) {
  const Dimensions size{.sockets = 4 * blocks + 4 * proxies, .blocks = blocks, .ring_bytes = stream_ring(blocks)};
  ProxyOptions options;
  options.threads = proxies;
  const auto sender = trial.open(0, size, options), receiver = trial.open(to, size, options);
  apps::Task task;
  task.address = trial.address;
  task.bytes = bytes;
  task.count = messages;
  task.check_every = check_every;
  auto* results = receiver->allocate(blocks * sizeof(apps::StreamResult));
  task.job = apps::Job::stream_receive;
  task.results = reinterpret_cast<std::uint64_t*>(results);
  task.memory = receiver->allocate(blocks * bytes);
  receiver->launch(task, blocks, trial.threads);
  task.job = apps::Job::stream_send;
  task.memory = sender->allocate(2 * blocks * bytes);
  sender->launch(task, blocks, trial.threads);
  Timing timing;
  const bool ended = receiver->wait(60) && sender->wait(20);
  std::vector<apps::StreamResult> found(blocks);
  receiver->read(found.data(), results, blocks * sizeof(apps::StreamResult));
  timing.right = ended;
  std::uint64_t start = ~std::uint64_t{0}, end = 0;
  for (const auto& one : found) {
    timing.right = timing.right && one.bytes == bytes * messages && one.wrong_words == 0;
    start = std::min(start, one.start_ns), end = std::max(end, one.end_ns);
  }
  timing.bytes = blocks * bytes * (messages - 1);  // the clock starts with the first message's end
  timing.ns.push_back(static_cast<double>(end - start));
  for (const auto& node : {sender.get(), receiver.get()}) {
    node->proxy().stop();
    timing.proxy.add(node->proxy().metrics());
  }
  return timing;
}

Timing stream_of_cpu(const Address& address, std::uint64_t bytes, std::uint64_t messages, std::uint64_t buffer) {
  const auto total = bytes * messages;
  auto listener = Peer::listen(address);
  std::thread sender{[&] {
    auto peer = Peer::connect(address);
    peer.buffers(1 << 20);
    std::vector<std::uint32_t> words(buffer / 4);
    for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = gpu_backend::pattern(i, 1);
    const auto piece = buffer / 4;
    for (std::uint64_t done = 0; done < total; done += piece)
      if (!peer.send(reinterpret_cast<const unsigned char*>(words.data()) + done % buffer, piece)) return;
  }};
  auto peer = listener.accept();
  peer.buffers(1 << 20);
  std::vector<std::uint32_t> words(buffer / 4);
  Timing timing;
  timing.right = true;
  const auto piece = buffer / 4;
  auto start = Clock::now();
  std::uint64_t first = 0;
  for (std::uint64_t done = 0; done < total && timing.right; done += piece) {
    timing.right = peer.receive(reinterpret_cast<unsigned char*>(words.data()) + done % buffer, piece);
    if (done == 0) start = Clock::now(), first = piece;
  }
  timing.ns.push_back(std::chrono::duration<double, std::nano>{Clock::now() - start}.count());
  timing.bytes = total - first;
  for (std::uint64_t i = 0; i < words.size(); ++i)
    timing.right = timing.right && words[i] == gpu_backend::pattern(i, 1);
  sender.join();
  return timing;
}

}  // namespace peerpath::gpunet::run
