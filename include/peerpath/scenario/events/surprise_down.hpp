// A device falls off the bus.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "peerpath/base/field.hpp"

namespace peerpath::scenario {
struct Event;
class EventCheck;
}  // namespace peerpath::scenario

namespace peerpath::scenario::event {

/// The device falls off the bus and stays away.
struct SurpriseDown {
  static constexpr std::string_view name = "surprise_down";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

}  // namespace peerpath::scenario::event
