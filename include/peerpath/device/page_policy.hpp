// What the driver of a GPU does when a NIC faults on one of its device-private pages.
#pragma once

#include <array>
#include <cstdint>

#include "peerpath/base/field.hpp"

namespace peerpath::device {

/// Source: the Linux series "GPU Direct RDMA (P2P DMA) for Device Private Pages" (v2, July 2025): without it the page
/// migrates, with it the page's owner gives a DMA-able alias, and mlx5 migrates where the alias cannot be reached.
enum class PagePolicy : std::uint8_t {
  migrate,              ///< to host memory
  alias,                ///< through the window; where it is full the page mapped longest ago gives way
  alias_with_fallback,  ///< likewise, but with a full window or no way between peers the page migrates
};
constexpr std::array<EnumName<PagePolicy>, 3> enum_names(PagePolicy) {
  return {{{"migrate", PagePolicy::migrate},
           {"alias", PagePolicy::alias},
           {"alias_with_fallback", PagePolicy::alias_with_fallback}}};
}

}  // namespace peerpath::device
