// The trait of the kind pcie_switch.
#pragma once

#include "devices/pcie_switch/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<SwitchConfig> : CommonKind {
  static constexpr std::string_view name = "pcie_switch";
  static constexpr std::string_view doc = "PCIe switch: one upstream port, downstream ports as linked";
  static constexpr bool emulated = true;
  static constexpr Role role = Role::router;

  static void check(const SwitchConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const SwitchConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
