// The way of TLPs from a device of one socket to one of another socket of the same host: up to its root complex, over
// inter_socket links, and down from the other root complex. What Linux's p2pdma says of the pair.
#pragma once

#include <string>
#include <vector>

#include "core/pcie/p2pdma.hpp"
#include "core/pcie/packet_route.hpp"
#include "scenario/hierarchy.hpp"

namespace peerpath::study {

/// A function below a root complex, or with `at_root_complex` the memory there. Holds on to the hierarchy.
struct SocketEnd {
  const scenario::Hierarchy& h;
  int function = pcie::at_root_complex;
};

/// One place that a TLP passes, in words: a function, a root complex, or an inter_socket link as results call it.
struct SocketHop {
  std::string at, id, acs;
  pcie::AcsAction action = pcie::AcsAction::direct;
  std::string because;  ///< the ACS control that decided it
  std::string said;     ///< what is done with the TLP there; "" where it only passes
};

struct SocketRoute {
  std::vector<SocketHop> hops;  ///< the last one is the target, or where the TLP ended
  bool delivered() const { return hops.back().action == pcie::AcsAction::direct; }
};

/// Follows a TLP as a run does (acs_routes.hpp): ports on the way up decide by their ACS controls. A link that forwards
/// no peers keeps requests for devices in the socket that they come from, and lets completions pass; the last root
/// complex must forward from port to port. `from` is a device; both are of one host.
SocketRoute socket_route(const scenario::Scenario& s, const SocketEnd& from, const SocketEnd& to, pcie::RouteKind kind);

/// The verdict for `client`, which wants to reach the memory of `provider`: two host bridges, both of which must be on
/// the kernel's list (drivers/pci/p2pdma.c: host_bridge_whitelist), and not as REQ_SAME_HOST_BRIDGE.
pcie::P2pVerdict p2pdma(const SocketEnd& client, const SocketEnd& provider);

/// The verdict's reason, as a part of a sentence.
std::string reason(const SocketEnd& client, const SocketEnd& provider);

}  // namespace peerpath::study
