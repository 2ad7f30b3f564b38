#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "network/network.hpp"

namespace peerpath::network {

/// A paused queue at port p waits for the queues of the node at the other end that hold packets which came in by that
/// end; where one of those is paused as well, the wait goes on from there.
std::vector<PauseWait> Network::waits(Instant now, Duration patience) const {
  std::vector<PauseWait> found;
  for (int priority = 0; priority < priorities; ++priority) {
    const auto q = static_cast<std::size_t>(priority);
    for (PortIndex p = 0; p < ports_.size(); ++p) {
      const auto& port = ports_[p];
      if (!(port.held >> priority & 1) || !(port.waiting >> priority & 1) || now - port.held_since[q] < patience)
        continue;
      found.push_back({priority, p, PauseWait::nobody});
      for (auto index = port.queues[q].first; index != no_packet; index = pool_[index].next) {
        const auto feeder = Graph::peer(pool_[index].ingress);
        if (found.back().feeder != feeder) found.push_back({priority, p, feeder});
      }
    }
  }
  return found;
}

std::optional<PauseCircle> find_circle(std::vector<PauseWait> waits) {
  std::ranges::stable_sort(waits, {}, [](const PauseWait& w) { return std::pair{w.priority, w.port}; });
  for (int priority = 0; priority < priorities; ++priority) {
    std::set<PortIndex> stuck;
    std::map<PortIndex, std::vector<PortIndex>> behind;  // from a stuck port to those it waits for
    for (const auto& wait : waits) {
      if (wait.priority != priority) continue;
      stuck.insert(wait.port);
      if (wait.feeder == PauseWait::nobody) continue;
      auto& list = behind[wait.feeder];
      if (list.empty() || list.back() != wait.port) list.push_back(wait.port);
    }
    std::map<PortIndex, int> state;  // 1: on the way, 2: leads nowhere
    std::vector<PortIndex> way;
    std::optional<PauseCircle> found;
    const std::function<void(PortIndex)> visit = [&](PortIndex p) {
      if (found || !stuck.contains(p) || state[p] == 2) return;
      if (state[p] == 1) {
        found = PauseCircle{{std::ranges::find(way, p), way.end()}, priority};
        return;
      }
      state[p] = 1;
      way.push_back(p);
      if (const auto next = behind.find(p); next != behind.end())
        for (const auto other : next->second) visit(other);
      way.pop_back();
      state[p] = 2;
    };
    for (const auto& [p, list] : behind) visit(p);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace peerpath::network
