// `peerpath run --on hardware`: names the equipment that this machine lacks for a scenario, and the traffic that would
// run.
#pragma once

#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// Equipment of this machine that scenarios need.
struct Node {
  std::vector<BitRate> network;  ///< link speed of each Ethernet function with hardware behind it
  int gpus = 0;
  std::string no_gpu;  ///< why there are none
};

/// Looks in `network` (/sys/class/net) and asks the CUDA and HIP drivers.
Node examine_node(const std::string& network = "/sys/class/net");

/// A sentence for each device of the scenario that the node has nothing for.
std::vector<std::string> missing_for(const scenario::Scenario& scenario, const Node& node);

/// Sockets of GPU programs run here. All else is waived so far: traffic on real NICs is started by hand, with
/// peerpath-agent on both nodes.
Exit run_on_hardware(const Arguments& arguments, const scenario::Loaded& loaded, const Terminal& terminal);

}  // namespace peerpath::cli
