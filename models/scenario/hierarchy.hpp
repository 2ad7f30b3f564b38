// The PCIe functions of a scenario as software finds them: root ports, switch ports and devices, with bus numbers and
// ACS.
#pragma once

#include <string>
#include <vector>

#include "core/pcie/acs.hpp"
#include "core/pcie/address_map.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

struct Hierarchy {
  std::vector<pcie::Function> functions;  ///< "rc port to sw0", "sw0 upstream port", "sw0 port to nic0", "nic0"
  std::vector<pcie::AcsPort> acs;         ///< by function
  std::vector<int> host_bridges;          ///< by function: which of the root complex's it is below
  std::string root;                       ///< name of the root complex
  bool peer_to_peer = true;
  bool iommu = false;
  pcie::HostBridgeList host_bridge = pcie::HostBridgeList::listed;
};

/// The links from the ports of switches and root complexes, by router in the order of its ports: those whose name ends
/// in a number ("sw0.down1") by that number, and then the others as the scenario lists them.
std::vector<const Link*> links_in_port_order(const Scenario& scenario);

/// What is below a root complex of a scenario without problems, as it is at the start: ACS events at 0 are in force.
/// Each root complex counts its buses from 0, as a PCI segment of its own.
Hierarchy hierarchy_of(const Scenario& scenario, const std::string& root);
/// The same of the first root complex.
Hierarchy hierarchy_of(const Scenario& scenario);

/// Lets an event of kind acs happen: to all ports of a switch or root complex, or to the port above another device.
void happen(Hierarchy& hierarchy, const Scenario& scenario, const Event& event);

}  // namespace peerpath::scenario
