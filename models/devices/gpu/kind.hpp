// The trait of the kind gpu.
#pragma once

#include "devices/gpu/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<GpuConfig> : CommonKind {
  static constexpr std::string_view name = "gpu";
  static constexpr std::string_view doc = "GPU: memory behind a BAR, and copy engines";
  static constexpr bool emulated = true;
  static std::optional<Bytes> memory(const GpuConfig& config) { return config.memory; }
  static Bytes address_space(const GpuConfig& config) { return config.bar_size; }
  static int own_queues(const GpuConfig& config) { return config.copy_engines; }
  static int in_flight(const GpuConfig& config) { return config.outstanding.value_or(CommonKind::in_flight(config)); }

  static void check(const GpuConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const GpuConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
