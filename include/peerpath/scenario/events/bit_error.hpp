// A bit error on a link.
#pragma once

#include "peerpath/scenario/events/kind.hpp"
#include "peerpath/scenario/events/link_way.hpp"

namespace peerpath::scenario::event {

/// The next TLP on the link above the device is hit and replayed.
struct BitError {
  static constexpr std::string_view name = "bit_error";
  LinkWay way = LinkWay::up;

  static constexpr auto fields() {
    return std::tuple{field("way", &BitError::way, "direction of the link; up is towards the root complex")};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
