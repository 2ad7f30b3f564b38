// The trait of the kind host_cpu.
#pragma once

#include "devices/host_cpu/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<HostCpuConfig> : CommonKind {
  static constexpr std::string_view name = "host_cpu";
  static constexpr std::string_view doc = "Cores that run the driver and the protocol, at the root complex `at`";
  static constexpr bool emulated = true;
  static constexpr Role role = Role::at_root;

  static void check(const HostCpuConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const HostCpuConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
