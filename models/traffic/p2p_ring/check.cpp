#include <set>

#include "scenario/document.hpp"
#include "traffic/dma/check.hpp"
#include "traffic/p2p_ring/kind.hpp"

namespace peerpath::scenario::traffic {

void Kind<P2pRing>::check(const P2pRing& ring, TrafficCheck& check) {
  const auto legs = check.traffic().legs();
  const auto key = [&](std::size_t member) {
    return member == 0 ? "from" : member == 1 ? "to" : join("onwards", member - 2);
  };
  std::set<std::string> members;
  for (std::size_t n = 0; n < legs.size(); ++n) {
    const auto& name = legs[n].from;
    if (check.end<device::GpuConfig>(key(n), name, "a gpu") == nullptr) return;
    if (!members.insert(name).second) return check.add(key(n), name + " is in the ring already");
    if (host_of(name) != host_of(legs.front().from))
      return check.add(key(n), name + " is in another host than " + legs.front().from);
  }
  for (std::size_t n = 0; n < legs.size(); ++n)
    check_dma(ring, check, {key(n), legs[n].from, key((n + 1) % legs.size()), legs[n].to});
}

}  // namespace peerpath::scenario::traffic
