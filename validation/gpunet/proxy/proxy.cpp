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
  for (const auto& shard : shards_) {
    const auto& one = shard->metrics();
    sum.sweeps += one.sweeps, sum.busy_sweeps += one.busy_sweeps, sum.naps += one.naps, sum.calls += one.calls;
    sum.sends += one.sends, sum.sent_bytes += one.sent_bytes, sum.sent_entries += one.sent_entries;
    sum.receives += one.receives, sum.received_bytes += one.received_bytes;
    sum.stalls_for_entries += one.stalls_for_entries, sum.stalls_for_ring += one.stalls_for_ring;
    sum.stalls_for_channel += one.stalls_for_channel;
    sum.send_ns += one.send_ns, sum.receive_ns += one.receive_ns, sum.call_ns += one.call_ns;
    for (std::size_t i = 0; i < sum.batches.size(); ++i) sum.batches[i] += one.batches[i];
  }
  return sum;
}

}  // namespace peerpath::gpunet
