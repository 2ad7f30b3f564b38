#include "peerpath/scenario/queues.hpp"

#include <algorithm>
#include <tuple>

namespace peerpath::scenario {
namespace {

auto destination(const Traffic& t) { return std::tie(t.to, t.path, t.headers_to); }

}  // namespace

std::vector<QueueShare> queue_shares(const Scenario& scenario, const std::string& nic, TrafficKind kind) {
  const auto& traffic = scenario.traffic;
  std::vector<QueueShare> shares;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    if (traffic[i].from != nic || traffic[i].kind != kind) continue;
    const auto same = [&](const QueueShare& share) {
      return kind == TrafficKind::receive && destination(traffic[share.entries.front()]) == destination(traffic[i]);
    };
    const auto found = std::ranges::find_if(shares, same);
    if (found != shares.end())
      found->entries.push_back(i);
    else
      shares.push_back({{i}, {}});
  }
  for (const auto& device : scenario.devices) {
    const auto* config = device.name == nic ? std::get_if<device::NicConfig>(&device.config) : nullptr;
    for (int q = 0; config != nullptr && !shares.empty() && q < config->queues; ++q)
      shares[static_cast<std::size_t>(q) % shares.size()].queues.push_back(q);
  }
  return shares;
}

}  // namespace peerpath::scenario
