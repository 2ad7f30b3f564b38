#include "validation/gpunet/proxy/proxy.hpp"

#include <algorithm>

#include "validation/gpunet/proxy/words.hpp"

namespace peerpath::gpunet {

Proxy::Proxy(const Net& net, const ProxyOptions& options) : net_{net}, options_{options} {
  options_.threads = std::clamp(options_.threads, 1u, net_.size.sockets);
  for (std::uint32_t n = 0; n < options_.threads; ++n)
    shards_.push_back(std::make_unique<Shard>(net_, options_, listeners_, n));
}

void Proxy::stop() {
  store(net_.stop, 1);
  for (auto& shard : shards_) shard->stop();
  for (auto& shard : shards_) shard->join();
}

void Proxy::settle() {
  for (auto& shard : shards_) {
    const auto mark = shard->mark();
    while (!shard->reached(mark)) std::this_thread::yield();
  }
}

Metrics Proxy::metrics() const {
  Metrics sum;
  for (const auto& shard : shards_) sum.add(shard->metrics());
  return sum;
}

}  // namespace peerpath::gpunet
