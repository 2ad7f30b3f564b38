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
    return std::tuple{field("host_rate", &C::host_rate, "Of the cables to hosts").at_least(1_Gbps),
                      field("fabric_rate", &C::fabric_rate, "Of the cables between switches").at_least(1_Gbps),
                      field("host_delay", &C::host_delay, "One way: 5 ns a metre, and the PHYs")
                          .at_most(std::chrono::milliseconds{10})
                          .from("assumed: five metres"),
                      field("fabric_delay", &C::fabric_delay, "The same between switches")
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
        field("clusters", &Clos::clusters, "Each with racks and spines of its own").at_least(1).at_most(64),
        field("racks", &Clos::racks, "Of a cluster").at_least(1).at_most(512),
        field("hosts", &Clos::hosts, "Of a rack: ports of NICs").at_least(1).at_most(256),
        field("spines", &Clos::spines,
              "Of a cluster; the oversubscription of a rack is hosts * host_rate / (spines * fabric_rate)")
            .at_least(1)
            .at_most(256),
        field("aggregations", &Clos::aggregations,
              "Switches above each plane: spine i of all clusters. The oversubscription of a cluster is racks / "
              "aggregations; 0: there is one cluster")
            .at_least(0)
            .at_most(256),
        field("cables", &Clos::cables, "Rates and delays")};
  }
};

/// A three-layer fat tree of switches with `ports` ports (Al-Fares et al. 2008): ports^3 / 4 hosts, no
/// oversubscription.
struct FatTree {
  int ports = 4;
  CableShape cables{};

  static constexpr auto fields() {
    return std::tuple{field("ports", &FatTree::ports, "Of a switch; even").at_least(2).at_most(64),
                      field("cables", &FatTree::cables, "Rates and delays")};
  }
};

/// Servers whose NIC i hangs on the leaf of rail i; spines join the leaves. Host s * rails + i is NIC i of server s.
struct RailOptimised {
  int servers = 16;
  int rails = 8;
  int spines = 4;
  CableShape cables{};

  static constexpr auto fields() {
    return std::tuple{
        field("servers", &RailOptimised::servers, "With one NIC a rail").at_least(1).at_most(512),
        field("rails", &RailOptimised::rails, "Leaves, one for each NIC of a server").at_least(1).at_most(16),
        field("spines", &RailOptimised::spines, "Each with a cable to every leaf").at_least(1).at_most(256),
        field("cables", &RailOptimised::cables, "Rates and delays")};
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
        field("groups", &Dragonfly::groups, "Each with a cable to every other one").at_least(2).at_most(64),
        field("routers", &Dragonfly::routers, "Of a group, each with a cable to every other one")
            .at_least(1)
            .at_most(64),
        field("hosts", &Dragonfly::hosts, "Of a router").at_least(1).at_most(64),
        field("cables", &Dragonfly::cables, "Rates and delays; those between groups are of the fabric")};
  }
};

Graph make(const Clos& clos);
Graph make(const FatTree& tree);
Graph make(const RailOptimised& rails);
Graph make(const Dragonfly& dragonfly);

}  // namespace peerpath::network
