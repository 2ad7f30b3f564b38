// The trait of the kind gpunet_proxy.
#pragma once

#include "devices/gpunet_proxy/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<GpunetProxyConfig> : CommonKind {
  static constexpr std::string_view name = "gpunet_proxy";
  static constexpr std::string_view doc =
      "CPU proxy that executes the socket calls of GPU programs, at the root complex `at`";
  static constexpr Role role = Role::at_root;

  static void check(const GpunetProxyConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const GpunetProxyConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
