// ACS controls of ports as routes of the fabric.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/pcie/acs.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

/// A root complex with what is above its ports.
struct AcsRoot {
  NodeId root{};             ///< the root complex, a router
  LinkId memory{};           ///< its way to host memory
  bool peer_to_peer = true;  ///< whether it forwards from root port to root port
  bool iommu = false;        ///< whether it has one: it refuses requests of whom nobody has mapped
};

/// The PCIe hierarchies below one or several root complexes, and the ACS registers of their ports. Root complexes may
/// be joined by links, and a device belongs to the one that it is below.
struct AcsHierarchy {
  std::vector<AcsRoot> roots = std::vector<AcsRoot>(1);
  /// The links between root complexes, and whether requests of devices to devices of the other side cross them.
  std::map<LinkId, bool> crossings{};
  std::set<NodeId> memories{};  ///< of all sockets, if there are crossings: no peers to anybody
  bool spoofing = false;        ///< whether anybody sends spoofed requests; else no route tells them from others

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
/// What comes in from another socket has been decided about there.
std::vector<Route> acs_routes(const Topology& topology, const AcsHierarchy& hierarchy);

}  // namespace peerpath::fabric
