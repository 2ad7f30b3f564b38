// The IOMMU refuses a device.
#pragma once

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The mappings of the device are taken away: the IOMMU refuses what it asks of host memory from then on.
struct IommuFault {
  static constexpr std::string_view name = "iommu_fault";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

}  // namespace peerpath::scenario::event
