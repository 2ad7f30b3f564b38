#include "peerpath/scenario/queues.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace peerpath::scenario {
namespace {

/// What entries have in common that share queues: the place in the list for those that share them with none.
using Group = std::tuple<std::string, DataPath, std::string, std::size_t>;

template <class Kind>
std::vector<QueueShare> shares_of(const Scenario& scenario, const std::string& nic,
                                  const std::function<Group(std::size_t)>& group_of) {
  const auto& traffic = scenario.traffic;
  std::vector<QueueShare> shares;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    if (traffic[i].from != nic || !traffic[i].is<Kind>()) continue;
    const auto same = [&](const QueueShare& share) { return group_of(share.entries.front()) == group_of(i); };
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

}  // namespace

std::vector<QueueShare> receive_shares(const Scenario& scenario, const std::string& nic) {
  return shares_of<traffic::Receive>(scenario, nic, [&](std::size_t i) {
    const auto& t = scenario.traffic[i];
    return Group{t.to, t.path, t.as<traffic::Receive>()->headers_to, 0};
  });
}

std::vector<QueueShare> transmit_shares(const Scenario& scenario, const std::string& nic) {
  return shares_of<traffic::Transmit>(scenario, nic, [](std::size_t i) { return Group{{}, {}, {}, i}; });
}

}  // namespace peerpath::scenario
