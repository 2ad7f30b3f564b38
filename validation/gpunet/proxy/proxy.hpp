// The CPU's side of a net: owns the network's sockets, so that GPU programs and CPU programs share one port space.
#pragma once

#include <memory>
#include <vector>

#include "validation/gpunet/proxy/shard.hpp"

namespace peerpath::gpunet {

class Proxy {
 public:
  /// Starts. `net` is as the CPU sees it and outlives the proxy.
  Proxy(const Net& net, const ProxyOptions& options);
  /// Ends all waits of the GPU, and closes all sockets.
  ~Proxy() { stop(); }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// GPU calls that wait return ECONNABORTED from here on.
  void stop();
  /// Waits until there is nothing left to do but what peers or GPU do next.
  void settle();
  /// Of all threads; after `stop`.
  Metrics metrics() const;

 private:
  Net net_;
  ProxyOptions options_;
  Listeners listeners_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace peerpath::gpunet
