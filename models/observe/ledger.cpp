#include "observe/ledger.hpp"

namespace peerpath::observe {
namespace {

LinkDirectionResult difference(const fabric::Topology& topology, const Snapshot::Side& before,
                               const Snapshot::Side& after, BitRate rate) {
  LinkDirectionResult result;
  result.dllps = after.dllps - before.dllps;
  result.rate = rate;
  result.busy = after.busy - before.busy;
  result.signalling = after.signalling - before.signalling;
  result.replaying = after.replaying - before.replaying;
  result.ahead = after.ahead - before.ahead;
  result.queueing = after.queueing - before.queueing;
  result.replays = after.replays - before.replays;
  result.credit_stall = after.credit_stall - before.credit_stall;
  for (std::size_t requester = 0; requester < topology.nodes.size(); ++requester) {
    for (const auto& purpose : enum_names(pcie::Purpose{})) {
      const auto slot = requester * pcie::purposes + static_cast<std::size_t>(purpose.value);
      const auto& old = before.tallies[slot];
      const auto& now = after.tallies[slot];
      if (now.tlps == old.tlps) continue;
      result.rows.push_back({topology.nodes[requester].name, purpose.value, now.tlps - old.tlps,
                             now.payload - old.payload, now.overhead - old.overhead});
    }
  }
  return result;
}

}  // namespace

Snapshot take_snapshot(const fabric::Fabric& fabric, std::size_t links) {
  Snapshot snapshot;
  snapshot.links.resize(links);
  for (std::size_t link = 0; link < links; ++link) {
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const auto counters =
          fabric.counters(fabric::LinkId{static_cast<std::uint16_t>(link)}, static_cast<int>(direction));
      auto& side = snapshot.links[link][direction];
      side.dllps = counters.dllps;
      side.replays = counters.replays;
      side.busy = counters.busy;
      side.signalling = counters.signalling;
      side.replaying = counters.replaying;
      side.ahead = counters.ahead;
      side.queueing = counters.queueing;
      side.credit_stall = counters.credit_stall;
      side.tallies.assign(counters.tallies.begin(), counters.tallies.end());
      side.accounts.assign(counters.accounts.begin(), counters.accounts.end());
    }
  }
  return snapshot;
}

Scene scene_of(const fabric::Topology& topology, const std::vector<LinkLabel>& labels) {
  Scene scene{topology, {}, std::vector<std::string>(topology.nodes.size())};
  for (std::size_t n = 0; n < topology.links.size(); ++n) {
    const auto& a = topology.nodes[topology.links[n].a.value()].name;
    const auto& b = topology.nodes[topology.links[n].b.value()].name;
    const bool a_is_nearer = labels[n].a_is_nearer;
    scene.links.push_back({a_is_nearer ? b + "-" + a : a + "-" + b, labels[n].shape, a_is_nearer ? 1 : 0});
  }
  return scene;
}

std::vector<LinkResult> ledger(const fabric::Topology& topology, const std::vector<LinkLabel>& labels,
                               const Snapshot& before, const Snapshot& after) {
  std::vector<LinkResult> results;
  for (std::size_t n = 0; n < topology.links.size(); ++n) {
    const auto& link = topology.links[n];
    const std::size_t down = labels[n].a_is_nearer ? 0 : 1;
    const auto& a = topology.nodes[link.a.value()].name;
    const auto& b = topology.nodes[link.b.value()].name;
    LinkResult result;
    result.nearer = down == 0 ? a : b;
    result.farther = down == 0 ? b : a;
    result.name = result.farther + "-" + result.nearer;
    result.shape = labels[n].shape;
    result.down = difference(topology, before.links[n][down], after.links[n][down], link.direction[down].rate);
    result.up =
        difference(topology, before.links[n][1 - down], after.links[n][1 - down], link.direction[1 - down].rate);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace peerpath::observe
