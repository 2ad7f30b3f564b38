// Sizes of Ethernet frames on the wire (IEEE 802.3 clauses 3.1.1 and 4.4.2).
#pragma once

#include <algorithm>

#include "peerpath/base/units.hpp"

namespace peerpath::net {

inline constexpr Bytes ethernet_header{14};
inline constexpr Bytes preamble{8};  ///< with the start frame delimiter
inline constexpr Bytes fcs{4};
inline constexpr Bytes gap{12};        ///< least distance between two frames
inline constexpr Bytes min_frame{60};  ///< without FCS; shorter ones are padded

/// Size of a frame, without FCS, after padding.
constexpr Bytes padded(Bytes frame) { return std::max(frame, min_frame); }

/// All that a frame of `frame` bytes (without FCS) takes of the wire's time.
constexpr Bytes wire_size(Bytes frame) { return preamble + padded(frame) + fcs + gap; }

static_assert(wire_size(Bytes{66 + 4096}) == Bytes{4186});

}  // namespace peerpath::net
