// A device sends poisoned data.
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

/// The next writes of payload by the device carry poisoned data (EP set).
struct Poison {
  static constexpr std::string_view name = "poison";
  int writes = 1;

  static constexpr auto fields() { return std::tuple{field("writes", &Poison::writes, "how many").at_least(1)}; }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
