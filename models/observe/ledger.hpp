// The byte ledger: the fabric's counters, copied at two instants, subtracted, and given names.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "peerpath/fabric/fabric.hpp"
#include "peerpath/observe/results.hpp"

namespace peerpath::observe {

/// The counters of every link direction at one instant.
struct Snapshot {
  struct Side {
    std::int64_t dllps = 0;
    std::int64_t replays = 0;
    Duration busy{}, signalling{}, replaying{}, ahead{}, queueing{}, credit_stall{};
    std::vector<fabric::Tally> tallies;  ///< [requester node * pcie::purposes + purpose]
  };
  std::vector<std::array<Side, 2>> links;

  const fabric::Tally& tally(std::size_t link, std::size_t direction, std::size_t requester,
                             pcie::Purpose purpose) const {
    return links[link][direction].tallies[requester * pcie::purposes + static_cast<std::size_t>(purpose)];
  }
};

/// Copies the counters of all `links` links.
Snapshot take_snapshot(const fabric::Fabric& fabric, std::size_t links);

/// How a link of the topology is called in results.
struct LinkLabel {
  std::string shape;        ///< "Gen5 x16"
  bool a_is_nearer = true;  ///< end `a` is the one nearer to the root complex
};

/// What each link carried from `before` to `after`; labels[n] belongs to link n. Rates are those of the topology.
std::vector<LinkResult> ledger(const fabric::Topology& topology, const std::vector<LinkLabel>& labels,
                               const Snapshot& before, const Snapshot& after);

/// Violations of conservation since the start, one sentence each: no router sends on, for any requester and purpose,
/// more TLPs or data than came in; nothing comes out of an endpoint for a requester that never asked. With `drained`
/// (nothing is under way) as much must have gone out as came in. Overhead is not compared: framing differs per link.
std::vector<std::string> conservation(const fabric::Topology& topology, const Snapshot& now, bool drained);

}  // namespace peerpath::observe
