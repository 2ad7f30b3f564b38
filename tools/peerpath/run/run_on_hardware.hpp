// `peerpath run --on hardware`: names the equipment that this machine lacks for a scenario, and the traffic that would
// run.
#pragma once

#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "tools/peerpath/run/backends.hpp"

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

/// All but sockets of GPU programs is waived so far: traffic on real NICs is started by hand, with peerpath-agent on
/// both nodes.
Waiver missing_on_node(const RunArguments& wanted, const study::Subject& subject);

/// Runs sockets of GPU programs.
Exit run_on_hardware(RunTask task, Terminal& terminal);

}  // namespace peerpath::cli
