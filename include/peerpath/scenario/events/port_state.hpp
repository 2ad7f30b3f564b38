// The Ethernet port of a NIC loses its carrier or has it back.
#pragma once

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The Ethernet port of the NIC loses its carrier.
struct PortDown {
  static constexpr std::string_view name = "port_down";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

/// The Ethernet port of the NIC has its carrier back.
struct PortUp {
  static constexpr std::string_view name = "port_up";

  static constexpr auto fields() { return std::tuple{}; }

  static std::string text(const std::string& device);
  static void check(const Event& event, EventCheck& check);
};

}  // namespace peerpath::scenario::event
