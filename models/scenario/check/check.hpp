// Checks across a whole scenario, whose single values have been found valid. Problems are keyed by JSON pointer.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "scenario/tree.hpp"

namespace peerpath::scenario {

/// Ends, ports, shapes and credits of links; the tree that they make.
void check_links(const Scenario& scenario, const Tree& tree, Problems& out);
/// Routers and ports that weights name.
void check_arbitration(const Scenario& scenario, const Tree& tree, Problems& out);
/// Every device on a link or at a root complex, powers of two, MPS along the way, address space.
void check_devices(const Scenario& scenario, const Tree& tree, Problems& out);
/// MPS and MRRS of every function against the ports on its path to the root complex and to its peers.
void check_payload_sizes(const Scenario& scenario, const Tree& tree, Problems& out);
/// Ends, rates and sizes of traffic, kind by kind.
void check_traffic(const Scenario& scenario, const Tree& tree, Problems& out);
/// Devices, ports and links that events name, and whether an event of their kind can happen to them.
void check_events(const Scenario& scenario, const Tree& tree, Problems& out);
/// Whether each metric has a name of its own.
void check_names(const Scenario& scenario, const Tree& tree, Problems& out);
/// Metrics that cannot exist, bounds that exclude each other.
void check_expectations(const Scenario& scenario, const Tree& tree, Problems& out);
/// Problems of one expectation: the key below it, or "" for the whole, and the message. `why_not` says why no metric
/// has a name; "" if there is one.
std::vector<std::pair<std::string, std::string>> problems_of(
    const Expectation& e, const std::function<std::string(const std::string&)>& why_not);

/// What joins sockets and hosts: inter_socket links, cables, and traffic whose ends are not in one host.
void check_hosts(const Scenario& scenario, const Tree& tree, Problems& out);

/// The IOMMU of the root complex that a device is below; nullptr if there is none.
const device::IommuConfig* iommu_of(const Tree& tree, std::string_view device);

/// A sentence if the ACS controls of a list contradict each other.
std::optional<std::string> contradiction(const std::vector<pcie::AcsControl>& controls);

}  // namespace peerpath::scenario
