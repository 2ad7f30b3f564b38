// Networks by a few numbers: Clos, fat tree, rail-optimised, dragonfly.
#pragma once

#include <tuple>

#include "network/graph.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::network {

using namespace literals;
using namespace std::chrono_literals;

/// What the cables of a generated network have.
struct CableShape {
  BitRate host_rate = 400_Gbps;
  BitRate fabric_rate = 400_Gbps;
  Duration host_delay = 25ns;
  Duration fabric_delay = 250ns;

  static constexpr auto fields() {
    using C = CableShape;
    return std::tuple{
        field("host_rate", &C::host_rate, "Rate of cables to hosts").at_least(1_Gbps),
        field("fabric_rate", &C::fabric_rate, "Rate of cables between switches").at_least(1_Gbps),
        field("host_delay", &C::host_delay, "One-way delay of cables to hosts: 5 ns per metre plus both PHYs")
            .at_most(std::chrono::milliseconds{10})
            .from("assumed: five metres"),
        field("fabric_delay", &C::fabric_delay,
              "One-way delay of cables between switches: 5 ns per metre plus both PHYs")
            .at_most(std::chrono::milliseconds{10})
            .from("assumed: fifty metres")};
  }
};

/// Racks of hosts; each rack switch has a cable to every spine of its cluster, and each spine to every aggregation
/// switch of its plane. Hosts are named h0, h1, ... rack by rack.
struct Clos {
  int clusters = 1;
  int racks = 4;
  int hosts = 16;
  int spines = 4;
  int aggregations = 0;
  CableShape cables{};

  static constexpr auto fields() {
    return std::tuple{
        field("clusters", &Clos::clusters, "Number of clusters, each with its own racks and spines")
            .at_least(1)
            .at_most(64),
        field("racks", &Clos::racks, "Number of racks per cluster").at_least(1).at_most(512),
        field("hosts", &Clos::hosts, "Number of hosts (NIC ports) per rack").at_least(1).at_most(256),
        field("spines", &Clos::spines,
              "Number of spines per cluster; rack oversubscription is hosts * host_rate / (spines * fabric_rate)")
            .at_least(1)
            .at_most(256),
        field("aggregations", &Clos::aggregations,
              "Number of aggregation switches per plane (spine i of every cluster); cluster oversubscription is racks "
              "/ aggregations. 0: none, with one cluster")
            .at_least(0)
            .at_most(256),
        field("cables", &Clos::cables, "Rates and delays of the cables")};
  }
};

/// A three-layer fat tree of switches with `ports` ports (Al-Fares et al. 2008): ports^3 / 4 hosts, no
/// oversubscription.
struct FatTree {
  int ports = 4;
  CableShape cables{};

  static constexpr auto fields() {
    return std::tuple{field("ports", &FatTree::ports, "Number of ports per switch; even").at_least(2).at_most(64),
                      field("cables", &FatTree::cables, "Rates and delays of the cables")};
  }
};

/// Servers whose NIC i hangs on the leaf of rail i; spines join the leaves. Host s * rails + i is NIC i of server s.
struct RailOptimised {
  int servers = 16;
  int rails = 8;
  int spines = 4;
  CableShape cables{};

  static constexpr auto fields() {
    return std::tuple{field("servers", &RailOptimised::servers, "Number of servers, each with one NIC per rail")
                          .at_least(1)
                          .at_most(512),
                      field("rails", &RailOptimised::rails, "Number of rails; each has one leaf and one NIC per server")
                          .at_least(1)
                          .at_most(16),
                      field("spines", &RailOptimised::spines, "Number of spines, each with a cable to every leaf")
                          .at_least(1)
                          .at_most(256),
                      field("cables", &RailOptimised::cables, "Rates and delays of the cables")};
  }
};

/// Groups of fully meshed routers, and one cable between each two groups (Kim et al. 2008). Routes are minimal.
struct Dragonfly {
  int groups = 5;
  int routers = 2;
  int hosts = 2;
  CableShape cables{};

  static constexpr auto fields() {
    return std::tuple{
        field("groups", &Dragonfly::groups, "Number of groups, each with one cable to every other group")
            .at_least(2)
            .at_most(64),
        field("routers", &Dragonfly::routers, "Number of routers per group, fully meshed").at_least(1).at_most(64),
        field("hosts", &Dragonfly::hosts, "Number of hosts per router").at_least(1).at_most(64),
        field("cables", &Dragonfly::cables,
              "Rates and delays of the cables; cables between groups use fabric_rate and fabric_delay")};
  }
};

Graph make(const Clos& clos);
Graph make(const FatTree& tree);
Graph make(const RailOptimised& rails);
Graph make(const Dragonfly& dragonfly);

}  // namespace peerpath::network
