// One thread of a proxy: sweeps over the calls of the blocks and over its sockets.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "validation/gpunet/proxy/calls.hpp"
#include "validation/gpunet/proxy/metrics.hpp"

namespace peerpath::gpunet {

class Shard {
 public:
  Shard(const Net& net, const ProxyOptions& options, Listeners& listeners, std::uint32_t number);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  void stop() { stop_.store(true, std::memory_order_relaxed); }
  void join();
  /// Asks for a mark; it is reached once a whole sweep that began later found nothing to do.
  std::uint64_t mark() { return wanted_.fetch_add(1) + 1; }
  bool reached(std::uint64_t mark) const { return quiet_.load() >= mark; }
  /// Valid after `join`.
  const Metrics& metrics() const { return metrics_; }

 private:
  void run();
  bool sweep();
  bool sweep_calls();
  bool sweep_sockets();
  bool move(Socket& socket);
  bool answer(std::uint32_t block);
  void watch_new();
  void poll_events();
  void nap();
  bool finish_close(Socket& socket);

  const Net& net_;
  const ProxyOptions& options_;
  std::uint32_t number_;
  Table table_;
  Calls calls_;
  Metrics metrics_;
  int epoll_ = -1;
  std::size_t connections_ = 0;         ///< of the last sweep
  std::vector<std::uint64_t> seen_;     ///< [blocks] calls that were looked at
  std::vector<std::uint32_t> waiting_;  ///< blocks whose call is not answered yet
  std::vector<std::uint64_t> watched_;  ///< [slot] generation + 1 that epoll knows
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> wanted_{0}, quiet_{0};
  std::thread thread_;  // last: it uses all of the others
};

}  // namespace peerpath::gpunet
