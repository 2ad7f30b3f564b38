// The trait of the kind host_memory.
#pragma once

#include "devices/host_memory/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<HostMemoryConfig> : CommonKind {
  static constexpr std::string_view name = "host_memory";
  static constexpr std::string_view doc = "DRAM of the host, behind the root complex named by `at`";
  static constexpr bool emulated = true;
  static constexpr Role role = Role::at_root;
  static std::optional<Bytes> memory(const HostMemoryConfig& config) { return config.size; }
  static Bytes address_space(const HostMemoryConfig& config) { return config.size; }

  static void check(const HostMemoryConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const HostMemoryConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
