// Options of a root complex.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"
#include "peerpath/pcie/routing.hpp"

namespace peerpath::device {

/// The root complex: root ports and the way to host memory.
struct RootComplexConfig {
  Duration latency = 150ns;
  Bytes max_payload_supported = 512_B;
  std::optional<IommuConfig> iommu{};
  std::optional<CreditsConfig> credits{};
  std::optional<OrderedWritesConfig> ordered_writes{};
  std::optional<PeerConfig> peer_to_peer{};
  std::vector<pcie::AcsControl> acs{pcie::AcsControl::none};
  bool forwards_peers = true;
  pcie::HostBridgeList host_bridge = pcie::HostBridgeList::listed;

  static constexpr auto fields() {
    return std::tuple{
        field("latency", &RootComplexConfig::latency, "Latency from port to port and from port to memory")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("assumed"),
        field("max_payload_supported", &RootComplexConfig::max_payload_supported, "Largest MPS that its ports support")
            .at_least(128_B)
            .at_most(4096_B),
        field("iommu", &RootComplexConfig::iommu,
              "Address translation for requests from its root ports; absent: IOMMU off"),
        field("credits", &RootComplexConfig::credits,
              "Limit on cache lines in flight to memory per root port; absent: unlimited"),
        field("ordered_writes", &RootComplexConfig::ordered_writes,
              "Limit on in-order commits of writes without Relaxed Ordering, per root port; absent: unlimited"),
        field("peer_to_peer", &RootComplexConfig::peer_to_peer,
              "Limits on traffic between root ports; absent: unlimited"),
        field("acs", &RootComplexConfig::acs,
              "ACS controls enabled in its root ports; requests redirected by a switch are forwarded down again only "
              "with UF"),
        field("forwards_peers", &RootComplexConfig::forwards_peers,
              "Whether it forwards requests from one root port down to another, or to the same one; if not, they end "
              "as Unsupported Request")
            .from("assumed: server root complexes do, many desktop ones do not"),
        field("host_bridge", &RootComplexConfig::host_bridge,
              "Whether Linux allows peer-to-peer through it (drivers/pci/p2pdma.c). same_bridge_only: only between "
              "root ports of one host bridge (links.host_bridge)")
            .from(
                "AMD from family 17h on, and the Intel server bridges in the kernel's list; same_bridge_only: Xeon E5 "
                "and E5 v3")};
  }
};

}  // namespace peerpath::device
