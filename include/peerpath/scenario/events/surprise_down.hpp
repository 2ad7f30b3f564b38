// A device falls off the bus.
#pragma once

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The device falls off the bus and stays away.
struct SurpriseDown {
  static constexpr std::string_view name = "surprise_down";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

}  // namespace peerpath::scenario::event
