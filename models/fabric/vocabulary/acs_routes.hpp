// ACS controls of ports as routes of the fabric.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/pcie/acs.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

/// A PCIe hierarchy below one root complex, and the ACS registers of its ports.
struct AcsHierarchy {
  NodeId root{};             ///< the root complex, a router
  LinkId memory{};           ///< its way to host memory
  bool peer_to_peer = true;  ///< whether the root complex forwards from root port to root port
  bool spoofing = false;     ///< whether anybody sends spoofed requests; else no route tells them from others
  bool iommu = false;        ///< whether the root complex has one: it refuses requests of whom nobody has mapped

  /// By the link below a downstream or root port: the registers of the port. A port without has no controls on.
  std::map<LinkId, pcie::AcsPort> ports{};

  /// Where a router sends what it blocks or does not forward: endpoints of its own that answer so.
  struct Traps {
    std::optional<LinkId> violation, unsupported;
  };
  std::map<NodeId, Traps> traps{};
};

/// The route of every kind of TLP from below, at every port of every router, to every endpoint. Port numbers count the
/// ports of a router in the order of their links, without the one towards the root. What a router without a trap blocks
/// goes to the root complex's memory, as far as the way up leads there. A completion that is blocked ends there too.
std::vector<Route> acs_routes(const Topology& topology, const AcsHierarchy& hierarchy);

}  // namespace peerpath::fabric
