// The way of a TLP through the tree of bridges, hop by hop, as ACS controls and the root complex let it go.
#pragma once

#include <span>
#include <vector>

#include "core/pcie/acs.hpp"
#include "core/pcie/address_map.hpp"

namespace peerpath::pcie {

/// Stands for the root complex itself in place of a function's index.
inline constexpr int at_root_complex = -1;

/// One place that a TLP passes.
struct RouteHop {
  int function = at_root_complex;        ///< index in the tree
  AcsAction action = AcsAction::direct;  ///< what was done with it there
  std::uint16_t because = 0;             ///< the ACS control that decided it
  bool operator==(const RouteHop&) const = default;
};

struct PacketRoute {
  std::vector<RouteHop> hops;         ///< from the sender on; the last one is the target, or where it ended
  AcsAction end = AcsAction::direct;  ///< direct: delivered; else how it ended at the last hop
  bool delivered() const { return end == AcsAction::direct; }
  bool redirected() const;
  bool through_root_complex() const;
  bool operator==(const PacketRoute&) const = default;
};

/// Follows a TLP of `kind` from one function to another, or to host memory (`at_root_complex`). `ports` gives the ACS
/// registers by function; those of endpoints and upstream ports are not looked at. `peer_to_peer` says whether the root
/// complex forwards what comes up one root port down a root port; without it, that is an unsupported request. So is a
/// spoofed request at an `iommu`, which knows nobody of that ID.
PacketRoute route(std::span<const Function> functions, std::span<const AcsPort> ports, bool peer_to_peer, int from,
                  int to, RouteKind kind, bool iommu = false);

/// Whether `function` is `bridge` or below it.
bool is_below(std::span<const Function> functions, int function, int bridge);

}  // namespace peerpath::pcie
