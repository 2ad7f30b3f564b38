// Generation and width of a PCIe link, and the rates that follow from them.
#pragma once

#include <array>
#include <compare>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::pcie {

/// Shape of a link. Its rates are derived, never typed by hand.
struct LinkShape {
  int generation = 5;  ///< 1..6
  int width = 16;      ///< 1, 2, 4, 8, 12, 16
  auto operator<=>(const LinkShape&) const = default;
};

/// How the link-layer traffic of a link is charged.
enum class DllpAccounting : std::uint8_t {
  counted,    ///< DLLPs caused by received TLPs, on the opposite direction
  published,  ///< the guide rates of the published closed form, which tax the sender
  none,
};

constexpr std::array<EnumName<DllpAccounting>, 3> enum_names(DllpAccounting) {
  return {
      {{"counted", DllpAccounting::counted}, {"published", DllpAccounting::published}, {"none", DllpAccounting::none}}};
}

}  // namespace peerpath::pcie
