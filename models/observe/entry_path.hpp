// Which link directions the payload of one traffic entry takes, and which its read requests take.
#pragma once

#include <string>
#include <vector>

#include "observe/credit_pools.hpp"

namespace peerpath::observe {

struct EntryPath {
  std::vector<LinkSide> data;      ///< in the order of the payload's way
  std::vector<LinkSide> requests;  ///< of its reads, on which no payload of theirs goes
  std::vector<std::string> nodes;  ///< all devices on the way, the two ends among them
  bool writes = false, reads = false;

  bool passes(const std::string& device) const;
};

/// From the tree of links, and from what the ledger says of links above the lowest router that both ends share: ACS
/// sends payload up to the root complex, a bounce up to host memory.
EntryPath path_of(const Results& results, const TrafficResult& traffic);

}  // namespace peerpath::observe
