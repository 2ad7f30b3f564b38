#include "traffic/network/window.hpp"

#include <algorithm>

namespace peerpath::scenario::traffic {

void plan_buffers(const Scenario& scenario, const std::vector<QueueShare>& shares, std::size_t entry, Bar1Plan& plan,
                  const std::function<Bytes(const device::NicConfig&, const Traffic&, std::size_t queues)>& buffers) {
  const Traffic& t = scenario.traffic[entry];
  const auto device = std::ranges::find(scenario.devices, t.from, &Device::name);
  const auto* nic = device == scenario.devices.end() ? nullptr : std::get_if<device::NicConfig>(&device->config);
  const auto share = std::ranges::find(shares, entry, [](const QueueShare& s) { return s.entries.front(); });
  if (nic == nullptr || share == shares.end() || share->queues.empty()) return;
  if (t.to != plan.gpu || through_host(t.path)) return;
  Bytes registered = buffers(*nic, t, share->queues.size());
  for (const auto i : share->entries)
    registered = std::max(registered, scenario.traffic[i].as<Network>()->registered.value_or(Bytes{}));
  plan.mappings.push_back({share->entries, registered, {}, Bar1Verdict::mapped});
}

}  // namespace peerpath::scenario::traffic
