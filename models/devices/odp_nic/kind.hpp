// The trait of the kind odp_nic.
#pragma once

#include <algorithm>

#include "devices/odp_nic/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<OdpNicConfig> : CommonKind {
  static constexpr std::string_view name = "odp_nic";
  static constexpr std::string_view doc =
      "RDMA NIC with on-demand paging: it faults on device-private pages of a GPU, which migrate or are aliased";
  static constexpr bool has_engine = true;
  static int own_queues(const OdpNicConfig&) { return 2; }
  static Bytes maps(const OdpNicConfig& config, Bytes window) { return std::min(config.aperture, window); }

  static void check(const OdpNicConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const OdpNicConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
