// The trait of the kind root_complex.
#pragma once

#include "devices/root_complex/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<RootComplexConfig> : CommonKind {
  static constexpr std::string_view name = "root_complex";
  static constexpr std::string_view doc = "Root complex of the host: root ports and the way to memory";
  static constexpr bool emulated = true;
  static constexpr Role role = Role::root_complex;

  static void check(const RootComplexConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const RootComplexConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
