// The trait of the kind nic.
#pragma once

#include "devices/nic/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<NicConfig> : CommonKind {
  static constexpr std::string_view name = "nic";
  static constexpr std::string_view doc = "Ethernet NIC with header split, receive-side scaling and flow steering";
  static constexpr bool emulated = true;
  static constexpr bool has_wire = true;
  static int own_queues(const NicConfig& config) { return !config.ats ? 3 : config.ats->page_request ? 5 : 4; }

  static void check(const NicConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const NicConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
