// The kinds of devices that there are, one line each, in the order of `DeviceConfig`'s alternatives. No other list
// names them.
#pragma once

#include <string_view>
#include <tuple>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// A device kind: the text of `devices.X.kind`, and the struct that holds its options.
template <class Config>
struct Kind {
  using config = Config;
  std::string_view name;
  std::string_view doc;
};

inline constexpr std::tuple kinds{
    Kind<device::RootComplexConfig>{"root_complex", "Root complex of the host: root ports and the way to memory"},
    Kind<device::HostMemoryConfig>{"host_memory", "DRAM of the host, behind the root complex named by `at`"},
    Kind<device::HostCpuConfig>{"host_cpu", "Cores that run the driver and the protocol, at the root complex `at`"},
    Kind<device::SwitchConfig>{"pcie_switch", "PCIe switch: one upstream port, downstream ports as linked"},
    Kind<device::NicConfig>{"nic", "Ethernet NIC with header split, receive-side scaling and flow steering"},
    Kind<device::GpuConfig>{"gpu", "GPU: memory behind a BAR, and copy engines"},
    Kind<device::DmaCardConfig>{"dma_card", "Card that only does DMA: a benchmark card or a load generator"}};

/// Calls `use` with each `Kind` in turn.
template <class Use>
constexpr void for_each_kind(Use use) {
  std::apply([&](const auto&... kind) { (use(kind), ...); }, kinds);
}

/// The text of `kind` for `config`.
inline std::string_view kind_of(const DeviceConfig& config) {
  std::string_view name;
  for_each_kind([&]<class Config>(const Kind<Config>& kind) {
    if (std::holds_alternative<Config>(config)) name = kind.name;
  });
  return name;
}

}  // namespace peerpath::scenario
