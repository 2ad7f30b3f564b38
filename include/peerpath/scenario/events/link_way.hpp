// A direction of a link, for the kinds of events that happen in one.
#pragma once

#include <array>
#include <cstdint>

#include "peerpath/base/field.hpp"

namespace peerpath::scenario {

/// One direction of a link, as seen from its farther end.
enum class LinkWay : std::uint8_t { up, down };
constexpr std::array<EnumName<LinkWay>, 2> enum_names(LinkWay) {
  return {{{"up", LinkWay::up}, {"down", LinkWay::down}}};
}

}  // namespace peerpath::scenario
