// Software writes the ACS control register of a port.
#pragma once

#include <vector>

#include "peerpath/pcie/routing.hpp"
#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The port, or all ports of a switch or root complex, have these controls on from then on and no others.
struct Acs {
  static constexpr std::string_view name = "acs";
  std::vector<pcie::AcsControl> acs{pcie::AcsControl::none};

  static constexpr auto fields() {
    return std::tuple{field("acs", &Acs::acs, "ACS controls enabled from this time on; all others are disabled")};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
