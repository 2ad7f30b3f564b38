#include <algorithm>
#include <map>

#include "network/network.hpp"

namespace peerpath::network {

/// A paused queue at port p waits for the queues of the node at the other end that hold packets which came in by that
/// end; where one of those is paused as well, the wait goes on from there.
std::optional<PauseCircle> Network::deadlock(Instant now, Duration patience) const {
  for (int priority = 0; priority < priorities; ++priority) {
    const auto q = static_cast<std::size_t>(priority);
    const auto stuck = [&](PortIndex p) {
      const auto& port = ports_[p];
      return (port.held >> priority & 1) && (port.waiting >> priority & 1) && now - port.held_since[q] >= patience;
    };
    std::map<PortIndex, std::vector<PortIndex>> waits;  // from a stuck port to those it waits for
    for (PortIndex p = 0; p < ports_.size(); ++p) {
      if (!stuck(p)) continue;
      auto index = ports_[p].queues[q].first;
      for (; index != no_packet; index = pool_[index].next) {
        const auto feeder = Graph::peer(pool_[index].ingress);
        auto& list = waits[feeder];
        if (list.empty() || list.back() != p) list.push_back(p);
      }
    }
    std::map<PortIndex, int> state;  // 1: on the way, 2: leads nowhere
    std::vector<PortIndex> way;
    std::optional<PauseCircle> found;
    const std::function<void(PortIndex)> visit = [&](PortIndex p) {
      if (found || !stuck(p) || state[p] == 2) return;
      if (state[p] == 1) {
        found = PauseCircle{{std::ranges::find(way, p), way.end()}, priority};
        return;
      }
      state[p] = 1;
      way.push_back(p);
      if (const auto next = waits.find(p); next != waits.end())
        for (const auto other : next->second) visit(other);
      way.pop_back();
      state[p] = 2;
    };
    for (const auto& [p, list] : waits) visit(p);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace peerpath::network
