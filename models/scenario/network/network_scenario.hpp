// A network scenario as typed values: hosts that are a rate and a buffer, switches, and what goes between them.
#pragma once

#include <string>
#include <vector>

#include "network/switch_config.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "scenario/network/collective_entries.hpp"
#include "scenario/network/host_entries.hpp"
#include "scenario/network/rdma_entries.hpp"
#include "scenario/network/run_length.hpp"
#include "scenario/network/tcp_entries.hpp"
#include "scenario/network/topology_entries.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

/// A whole one.
struct NetworkScenario {
  std::string name;  ///< path below scenarios/ without .json, or the file's stem
  std::string description, source;
  Topology network;
  network::SwitchConfig switches;
  Nics nics;
  Servers servers;
  std::vector<SlowHost> slow_hosts;
  std::vector<NodeEntry> nodes;
  std::vector<Rdma> rdma;
  std::vector<Collective> collectives;
  std::vector<TraceEntry> traces;
  tcp::Config tcp_stack;
  tcp::HostConfig tcp_hosts;
  std::vector<Tcp> tcp;
  std::vector<CableEvent> events;
  RunLength run;
  std::vector<scenario::Expectation> expect;
  scenario::Sweep sweep;
};

}  // namespace peerpath::network_scenario
