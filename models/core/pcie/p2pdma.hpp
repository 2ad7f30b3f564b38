// What Linux decides about DMA between two PCIe functions, before any of it happens.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/pcie/acs.hpp"
#include "core/pcie/address_map.hpp"

namespace peerpath::pcie {

/// How a driver that asks p2pdma gets at a peer's memory (enum pci_p2pdma_map_type).
enum class P2pMapping : std::uint8_t {
  bus_address,          ///< by the peer's bus address; the switch turns the TLP round
  through_host_bridge,  ///< mapped as host memory is: the TLP goes up to the root complex, through the IOMMU
  not_supported,
};
constexpr std::array<EnumName<P2pMapping>, 3> enum_names(P2pMapping) {
  return {{{"BUS_ADDR", P2pMapping::bus_address},
           {"THRU_HOST_BRIDGE", P2pMapping::through_host_bridge},
           {"NOT_SUPPORTED", P2pMapping::not_supported}}};
}

struct P2pVerdict {
  P2pMapping mapping = P2pMapping::not_supported;
  int distance = 0;        ///< bridges on the way, as the kernel counts them: 4 below one switch
  int common_bridge = -1;  ///< the lowest bridge above both; -1: they meet in the root complex at best
  std::vector<int>
      redirects;  ///< below a common bridge: those on the way whose ACS controls redirect, provider's first
};

/// The verdict for a client that wants to reach the provider's memory (calc_map_type_and_dist). `host_provider` and
/// `host_client` describe the host bridges of the two; `same_host` says that it is one. Without a common bridge ACS is
/// not asked.
///
/// Left out: the `pci=disable_acs_redir=` and `config_acs=` options of the kernel, other than by the ports' controls;
/// that the kernel keeps its first answer for a pair, whatever becomes of the controls.
P2pVerdict p2pdma(std::span<const Function> functions, std::span<const AcsPort> ports, int provider, int client,
                  HostBridgeList host_provider, HostBridgeList host_client, bool same_host);

}  // namespace peerpath::pcie
