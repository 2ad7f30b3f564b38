// What a scenario can set on a root complex.
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
  std::optional<PeerConfig> peer_to_peer{};
  std::vector<pcie::AcsControl> acs{pcie::AcsControl::none};
  bool forwards_peers = true;
  pcie::HostBridgeList host_bridge = pcie::HostBridgeList::listed;

  static constexpr auto fields() {
    return std::tuple{
        field("latency", &RootComplexConfig::latency, "Port to port, and port to memory")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("assumed"),
        field("max_payload_supported", &RootComplexConfig::max_payload_supported, "Largest MPS that its ports can do")
            .at_least(128_B)
            .at_most(4096_B),
        field("iommu", &RootComplexConfig::iommu, "Translates what comes in by its root ports; absent: IOMMU off"),
        field("credits", &RootComplexConfig::credits,
              "Lines that each root port has in flight to memory; absent: no limit"),
        field("peer_to_peer", &RootComplexConfig::peer_to_peer,
              "Limits of what passes between root ports; absent: none"),
        field("acs", &RootComplexConfig::acs,
              "ACS controls that are on in its root ports; what a switch redirects comes down again only with UF"),
        field("forwards_peers", &RootComplexConfig::forwards_peers,
              "Whether it forwards from one root port down to another, or to the same; else Unsupported Request")
            .from("assumed: server root complexes do, many desktop ones do not"),
        field("host_bridge", &RootComplexConfig::host_bridge,
              "Whether Linux trusts it to do so (drivers/pci/p2pdma.c); same_bridge_only: between root ports of one "
              "host bridge alone (links.host_bridge)")
            .from(
                "AMD from family 17h on, and the Intel server bridges in the kernel's list; same_bridge_only: Xeon E5 "
                "and E5 v3")};
  }
};

}  // namespace peerpath::device
