#include "core/pcie/p2pdma.hpp"

#include <algorithm>

namespace peerpath::pcie {
namespace {

/// A function and the bridges above it, lowest first.
std::vector<int> line_of(std::span<const Function> functions, int function) {
  std::vector<int> line;
  for (; function >= 0; function = functions[static_cast<std::size_t>(function)].parent) line.push_back(function);
  return line;
}

bool trusted(HostBridgeList provider, HostBridgeList client, bool same_host) {
  if (same_host) return provider != HostBridgeList::unlisted;
  return provider == HostBridgeList::listed && client == HostBridgeList::listed;
}

}  // namespace

P2pVerdict p2pdma(std::span<const Function> functions, std::span<const AcsPort> ports, int provider, int client,
                  HostBridgeList host_provider, HostBridgeList host_client, bool same_host) {
  const auto ours = line_of(functions, provider), theirs = line_of(functions, client);
  const auto meet = same_host ? std::ranges::find_first_of(ours, theirs) : ours.end();
  P2pVerdict verdict;
  const auto look_at = [&](int bridge) {
    if ((ports[static_cast<std::size_t>(bridge)].control & acs::redirects) != 0) verdict.redirects.push_back(bridge);
  };
  if (meet != ours.end()) {
    verdict.common_bridge = *meet;
    const auto their_end = std::ranges::find(theirs, *meet);
    verdict.distance = static_cast<int>((meet - ours.begin()) + (their_end - theirs.begin()));
    std::for_each(ours.begin(), meet + 1, look_at);
    std::for_each(theirs.begin(), their_end, look_at);
    if (verdict.redirects.empty()) {
      verdict.mapping = P2pMapping::bus_address;
      return verdict;
    }
  } else {
    verdict.distance = static_cast<int>(ours.size() + theirs.size());
  }
  verdict.mapping =
      trusted(host_provider, host_client, same_host) ? P2pMapping::through_host_bridge : P2pMapping::not_supported;
  return verdict;
}

}  // namespace peerpath::pcie
