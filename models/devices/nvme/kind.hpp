// The trait of the kind nvme.
#pragma once

#include "devices/nvme/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<NvmeConfig> : CommonKind {
  static constexpr std::string_view name = "nvme";
  static constexpr std::string_view doc =
      "NVMe drive: queue pairs in host memory, PRPs, and a medium with latency and rate";
  static constexpr bool has_engine = true;
  static int own_queues(const NvmeConfig&) { return 3; }
  static int in_flight(const NvmeConfig& config) { return config.queue_depth; }

  static void check(const NvmeConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const NvmeConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
