#include "scenario/check/traffic_check.hpp"
#include "traffic/gpunet/kind.hpp"

namespace peerpath::scenario::traffic {

/// Ends of sockets; the rest is checked by the proxy at `to`.
void Kind<Gpunet>::check(const Gpunet&, TrafficCheck& check) {
  const Traffic& t = check.traffic();
  const auto is_proxy = [](const Device& d) { return std::holds_alternative<device::GpunetProxyConfig>(d.config); };
  check.end("to", t.to, "a gpunet_proxy", is_proxy);
  check.end("from", t.from, "a gpunet_proxy, or host_memory for a CPU program",
            [&](const Device& d) { return is_proxy(d) || std::holds_alternative<device::HostMemoryConfig>(d.config); });
  if (t.arrival != ArrivalLaw::regular) check.add("arrival", "gpunet supports only regular arrival");
}

}  // namespace peerpath::scenario::traffic
