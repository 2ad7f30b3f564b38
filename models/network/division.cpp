#include "network/division.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::network {
namespace {

constexpr PartIndex nobody = ~PartIndex{0};

/// Hosts and the switches that they hang on.
std::vector<PartIndex> divide_racks(const Graph& graph, PartIndex parts) {
  std::vector<NodeIndex> switch_of(graph.nodes.size());
  std::vector<std::uint64_t> hosts_at(graph.nodes.size());
  for (const auto& cable : graph.cables) {
    if (graph.nodes[cable.a].is_host) switch_of[cable.a] = cable.b;
    if (graph.nodes[cable.b].is_host) switch_of[cable.b] = cable.a;
  }
  for (const auto host : graph.hosts) ++hosts_at[switch_of[host]];
  std::vector<PartIndex> owner(graph.nodes.size(), nobody);
  std::uint64_t before = 0;
  for (const auto host : graph.hosts) {
    const auto rack = switch_of[host];
    if (owner[rack] == nobody) {
      owner[rack] = static_cast<PartIndex>((before + hosts_at[rack] / 2) * parts / graph.hosts.size());
      before += hosts_at[rack];
    }
    owner[host] = owner[rack];
  }
  return owner;
}

}  // namespace

std::vector<PartIndex> divide(const Graph& graph, PartIndex parts) {
  auto owner = divide_racks(graph, parts);
  std::vector<std::vector<NodeIndex>> neighbours(graph.nodes.size());
  for (const auto& cable : graph.cables) {
    neighbours[cable.a].push_back(cable.b);
    neighbours[cable.b].push_back(cable.a);
  }
  std::vector<std::uint64_t> given(parts);
  // Layer by layer upwards, so that a switch sees where those below it have gone.
  while (std::ranges::find(owner, nobody) != owner.end()) {
    auto next = owner;
    bool any = false;
    for (NodeIndex node = 0; node < owner.size(); ++node) {
      if (owner[node] != nobody) continue;
      std::vector<std::uint64_t> cables(parts);
      for (const auto other : neighbours[node])
        if (owner[other] != nobody) ++cables[owner[other]];
      const auto most = *std::ranges::max_element(cables);
      if (most == 0) continue;
      PartIndex best = nobody;
      for (PartIndex part = 0; part < parts; ++part)
        if (cables[part] == most && (best == nobody || given[part] < given[best])) best = part;
      next[node] = best;
      given[best] += neighbours[node].size();
      any = true;
    }
    if (!any) std::ranges::replace(next, nobody, PartIndex{0});  // switches without a way to a host
    owner = std::move(next);
  }
  return owner;
}

Duration lookahead(const Graph& graph, const std::vector<PartIndex>& owner) {
  Duration least = never - Instant{};
  const auto frame = net::wire_size(Bytes{0}) - net::gap;
  for (const auto& cable : graph.cables)
    if (owner[cable.a] != owner[cable.b]) least = std::min<Duration>(least, cable.delay + frame / cable.rate);
  return least;
}

}  // namespace peerpath::network
