// Who waits for whom in a fabric, and whether they wait in a circle.
#pragma once

#include <string>
#include <vector>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

/// Queues that nothing inside the fabric will ever move again.
struct Deadlock {
  std::vector<Waiting> blocked;
  std::vector<std::size_t> cycle;  ///< of `blocked`: each waits for the next, the last for the first; empty if the
                                   ///< waiting ends at credits that nobody holds
};

/// `later` without the reasons of those whose first TLP was another one in `earlier`, or not in want of the same.
std::vector<Waiting> unmoved(const std::vector<Waiting>& earlier, std::vector<Waiting> later);

/// Finds the queues that wait for each other or for credits that are lost. A queue waits for the holder of what it
/// lacks: credits for the queue of its class behind the link, ordering for the posted queue of its ingress, room for
/// the completions of its endpoint, a tag for every queue that begins with a request or completion of its requester (if
/// one of them can move, or none is seen, so can it). What a link that is down holds up is not blocked for good.
Deadlock find_deadlock(const Topology& topology, const std::vector<Waiting>& queues);

/// A queue in words.
struct WaitText {
  std::string place;      ///< "sw0 port towards gpu0"
  std::string tlp;        ///< "completion from gpu0 to nic0"
  std::string waits_for;  ///< "completion credits of sw0 -> nic0"; empty for WaitFor::time
};
WaitText describe(const Topology& topology, const Waiting& waiting);

/// The same as one sentence: "sw0 port towards gpu0: completion from gpu0 to nic0 waits for ...".
std::string sentence(const WaitText& text);

}  // namespace peerpath::fabric
