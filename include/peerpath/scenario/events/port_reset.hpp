// The port above a device is reset.
#pragma once

#include "peerpath/base/units.hpp"
#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The port above the device is reset; the device is away for `outage`.
struct PortReset {
  static constexpr std::string_view name = "port_reset";
  Duration outage{};

  static constexpr auto fields() {
    return std::tuple{field("outage", &PortReset::outage, "time until the device responds again")};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
