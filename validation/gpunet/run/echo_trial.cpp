#include <algorithm>
#include <cerrno>
#include <thread>

#include "validation/backends/gpu/kernel_arguments.hpp"
#include "validation/gpunet/run/peer.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace peerpath::gpunet::run {
namespace {

std::vector<unsigned char> message(std::uint64_t bytes, std::uint64_t seed) {
  std::vector<unsigned char> content(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) content[i] = static_cast<unsigned char>(gpu_backend::pattern(i, seed));
  return content;
}

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>{Clock::now() - start}.count();
}

/// Sends and receives at once: a message may be longer than all buffers on its way.
bool bounce(Peer& peer, const std::vector<unsigned char>& out, std::vector<unsigned char>& in) {
  constexpr std::size_t most = 65536;
  std::size_t sent = 0, got = 0;
  while (got < in.size()) {
    if (sent < out.size() && sent - got < 2 * most) {
      const auto piece = std::min(most, out.size() - sent);
      if (!peer.send(out.data() + sent, piece)) return false;
      sent += piece;
    }
    const auto some = peer.receive_some(in.data() + got, in.size() - got);
    if (some == 0 || (some < 0 && errno != EAGAIN)) return false;
    if (some > 0) got += static_cast<std::size_t>(some);
  }
  return true;
}

Timing ping(Peer& peer, std::uint64_t bytes, int rounds) {
  Timing timing;
  timing.right = true;
  timing.bytes = bytes;
  std::vector<unsigned char> back(bytes);
  for (int n = -20; n < rounds && timing.right; ++n) {
    const auto content = message(bytes, static_cast<std::uint64_t>(n + 100));
    const auto start = Clock::now();
    timing.right = bounce(peer, content, back);
    if (n >= 0) timing.ns.push_back(ns_since(start));
    timing.right = timing.right && back == content;
  }
  return timing;
}

apps::Task echo_task(Node& node, const Address& address, unsigned blocks, std::uint64_t buffer, std::uint64_t count) {
  apps::Task task;
  task.job = apps::Job::echo_serve;
  task.address = address;
  task.bytes = buffer;
  task.count = count;
  task.memory = node.allocate(blocks * buffer);
  task.results = reinterpret_cast<std::uint64_t*>(node.allocate(blocks * sizeof(std::uint64_t)));
  task.shared = reinterpret_cast<std::uint64_t*>(node.allocate(4096));
  return task;
}

}  // namespace

Timing echo(const Trial& trial, std::uint64_t bytes, int rounds) {
  const auto node = trial.open(0, {.sockets = 8, .blocks = 8, .ring_bytes = 1 << 20}, {});
  node->launch(echo_task(*node, trial.address, 1, std::min<std::uint64_t>(bytes, 1 << 18), 1), 1, trial.threads);
  Timing timing;
  {
    auto peer = Peer::connect(trial.address);
    timing = ping(peer, bytes, rounds);
  }
  timing.right = node->wait(20) && timing.right;
  node->proxy().stop();
  timing.proxy = node->proxy().metrics();
  return timing;
}

Timing echo_of_cpu(const Address& address, std::uint64_t bytes, int rounds) {
  auto listener = Peer::listen(address);
  std::thread server{[&] {
    auto peer = listener.accept();
    std::vector<unsigned char> buffer(std::min<std::uint64_t>(bytes, 1 << 18));
    for (;;) {
      const auto got = peer.receive_some(buffer.data(), buffer.size());
      if (got == 0 || (got < 0 && errno != EAGAIN)) break;
      if (got > 0 && !peer.send(buffer.data(), static_cast<std::size_t>(got))) break;
    }
  }};
  Timing timing;
  {
    auto peer = Peer::connect(address);
    timing = ping(peer, bytes, rounds);
  }
  server.join();
  return timing;
}

Timing echo_many(const Trial& trial, std::uint64_t bytes, unsigned connections, int rounds) {
  const auto node = trial.open(0, {.sockets = connections + 8, .blocks = connections, .ring_bytes = 1 << 16}, {});
  node->launch(echo_task(*node, trial.address, connections, std::min<std::uint64_t>(bytes, 1 << 16), 1), connections,
               trial.threads);
  Timing timing;
  timing.right = true;
  timing.bytes = bytes * connections;
  {
    std::vector<Peer> peers;
    for (unsigned n = 0; n < connections; ++n) peers.push_back(Peer::connect(trial.address));
    std::vector<unsigned char> back(bytes);
    for (int round = -3; round < rounds; ++round) {
      std::vector<std::vector<unsigned char>> contents;
      for (unsigned n = 0; n < connections; ++n)
        contents.push_back(message(bytes, n * 1000 + static_cast<unsigned>(round + 10)));
      const auto start = Clock::now();
      for (unsigned n = 0; n < connections; ++n)
        timing.right = peers[n].send(contents[n].data(), bytes) && timing.right;
      for (unsigned n = 0; n < connections; ++n)
        timing.right = timing.right && peers[n].receive(back.data(), bytes) && back == contents[n];
      if (round >= 0) timing.ns.push_back(ns_since(start));
    }
  }
  timing.right = node->wait(20) && timing.right;
  node->proxy().stop();
  timing.proxy = node->proxy().metrics();
  return timing;
}

}  // namespace peerpath::gpunet::run
