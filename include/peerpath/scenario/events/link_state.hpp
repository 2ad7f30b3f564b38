// A link goes down or comes up.
#pragma once

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The link above the device goes down; TLPs in its buffers stay there.
struct LinkDown {
  static constexpr std::string_view name = "link_down";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

/// The link above the device comes up.
struct LinkUp {
  static constexpr std::string_view name = "link_up";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

}  // namespace peerpath::scenario::event
