// The byte ledger: the fabric's counters, copied at two instants, subtracted, and given names.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "peerpath/fabric/fabric.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/observe/scene.hpp"

namespace peerpath::observe {

/// The counters of every link direction at one instant.
struct Snapshot {
  struct Side {
    std::int64_t dllps = 0;
    std::int64_t replays = 0;
    Duration busy{}, signalling{}, replaying{}, ahead{}, queueing{}, credit_stall{};
    std::vector<fabric::Tally> tallies;  ///< [requester node * pcie::purposes + purpose]
    std::vector<Bytes> accounts;         ///< by Transaction::account
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

/// The links of a topology, named as in results; kinds of devices are for others to add.
Scene scene_of(const fabric::Topology& topology, const std::vector<LinkLabel>& labels);

/// What each link carried from `before` to `after`; labels[n] belongs to link n. Rates are those of the topology.
std::vector<LinkResult> ledger(const fabric::Topology& topology, const std::vector<LinkLabel>& labels,
                               const Snapshot& before, const Snapshot& after);

/// Checks conservation of bytes since the start and returns one sentence for each violation. For every requester and
/// purpose, a router may not send more TLPs or data than it received, and an endpoint may not answer a requester that
/// sent no request. With `drained` (no TLP in flight) input and output must be equal. Overhead is not compared, because
/// framing differs between links.
std::vector<std::string> conservation(const fabric::Topology& topology, const Snapshot& now, bool drained);

}  // namespace peerpath::observe
