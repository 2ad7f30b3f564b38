// The network of a network scenario: a generator or names, cables, and events of cables.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "network/topologies/topologies.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

/// A cable of a network that is written out.
struct CableEntry {
  std::string from, to;
  BitRate rate = 400_Gbps;
  Duration delay = 250ns;
  int count = 1;
  double loss = 0;
  std::vector<int> lost{};

  static constexpr auto fields() {
    using C = CableEntry;
    return std::tuple{
        field("from", &C::from, "Host or switch at one end"),
        field("to", &C::to, "Host or switch at the other end"),
        field("rate", &C::rate, "Rate in each direction").at_least(1_Gbps),
        field("delay", &C::delay, "One-way delay: 5 ns per metre plus both PHYs").at_most(10ms).from("assumed"),
        field("count", &C::count, "Number of parallel cables").at_least(1).at_most(64),
        field("loss", &C::loss, "Probability that a packet is lost, in each direction").at_least(0.0).at_most(1.0),
        field("lost", &C::lost, "Numbers of the packets from `from` to `to` that are lost, counted from 1")};
  }
};

/// One of the generators, or switches, hosts and cables by name.
struct Topology {
  std::optional<network::Clos> clos{};
  std::optional<network::FatTree> fat_tree{};
  std::optional<network::RailOptimised> rail_optimised{};
  std::optional<network::Dragonfly> dragonfly{};
  std::vector<std::string> hosts{}, switches{};
  std::vector<CableEntry> cables{};

  static constexpr auto fields() {
    using C = Topology;
    return std::tuple{field("clos", &C::clos, "Racks and spines, with optional aggregation switches"),
                      field("fat_tree", &C::fat_tree, "Three-layer fat tree of identical switches"),
                      field("rail_optimised", &C::rail_optimised, "One leaf per NIC of a server"),
                      field("dragonfly", &C::dragonfly, "Fully connected groups of routers"),
                      field("hosts", &C::hosts, "Host names; h0..h7 names eight"),
                      field("switches", &C::switches, "Switch names; s0..s7 names eight"),
                      field("cables", &C::cables, "Cables between hosts and switches")};
  }
};

/// A cable goes out of service or comes back.
struct CableEvent {
  Duration at{};
  std::string from, to;
  bool up = false;

  static constexpr auto fields() {
    using C = CableEvent;
    return std::tuple{field("at", &C::at, "Time of the event").at_most(10s),
                      field("from", &C::from, "Host or switch at one end of the first cable"),
                      field("to", &C::to, "Host or switch at the other end"),
                      field("up", &C::up, "Whether the cable returns to service; otherwise it fails")};
  }
};

}  // namespace peerpath::network_scenario
