// The trait of the kind dma_card.
#pragma once

#include <algorithm>

#include "devices/dma_card/config.hpp"
#include "peerpath/device/kind.hpp"

namespace peerpath::device {

template <>
struct Kind<DmaCardConfig> : CommonKind {
  static constexpr std::string_view name = "dma_card";
  static constexpr std::string_view doc = "DMA card: a benchmark card or a load generator";
  static constexpr bool has_engine = true;
  static std::optional<Bytes> memory(const DmaCardConfig& config) { return config.memory; }
  static Bytes address_space(const DmaCardConfig& config) { return config.memory; }
  static int in_flight(const DmaCardConfig& config) {
    return std::max(config.outstanding, CommonKind::in_flight(config));
  }

  static void check(const DmaCardConfig& config, scenario::DeviceCheck& check);
  static std::unique_ptr<platform::Device> make(const std::string& name, const DmaCardConfig& config,
                                                const scenario::Scenario& scenario, platform::Platform& platform);
};

}  // namespace peerpath::device
