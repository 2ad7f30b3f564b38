// A device sends poisoned data.
#pragma once

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The next writes of payload by the device carry poisoned data (EP set).
struct Poison {
  static constexpr std::string_view name = "poison";
  int writes = 1;

  static constexpr auto fields() {
    return std::tuple{
        field("writes", &Poison::writes, "number of payload writes that carry poisoned data").at_least(1)};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
