// The hops of a route in words, and the traffic of a scenario whose requests or completions have no route.
#pragma once

#include <string>

#include "core/pcie/packet_route.hpp"
#include "peerpath/base/problem.hpp"
#include "scenario/hierarchy.hpp"

namespace peerpath::study {

/// The function's name; the root complex's for `pcie::at_root_complex`.
std::string name_at(const scenario::Hierarchy& h, int function);

/// Its bus, device and function number, or "".
std::string id_at(const scenario::Hierarchy& h, int function);

/// The ACS controls of a port, "" of what has none.
std::string control_at(const scenario::Hierarchy& h, int function);

/// What a hop does with a TLP; "" where it only passes.
std::string said(const scenario::Hierarchy& h, const pcie::RouteHop& hop, pcie::RouteKind kind);

/// Whether the device keeps translations of its own (ATS).
bool translates(const scenario::Scenario& s, const std::string& name);

/// Whether the device's reads carry Relaxed Ordering, so that their completions do.
bool relaxes(const scenario::Scenario& s, const std::string& name);

/// Traffic whose requests or completions do not arrive with the ACS controls of the start: the payload is lost or read
/// in vain. Without entries of which an expectation says so: `lost_bytes`, `all_ones_bytes`, `failed_transfers`.
Problems without_route(const scenario::Scenario& s);

}  // namespace peerpath::study
