// Where the frames that arrive at a NIC come from: a pattern, a capture, or several of them merged.
#pragma once

#include <optional>

#include "peerpath/device/endpoint.hpp"

namespace peerpath::device {

/// A frame at the moment that its last bit (of the FCS) has come in.
struct FrameArrival {
  Instant last_bit{};
  Frame frame{};
};

/// Frames on one Ethernet port, in order of arrival.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// The next frame, never earlier than the one before it; nothing when the source has run dry.
  virtual std::optional<FrameArrival> next() = 0;
};

/// Ethernet bytes around every frame (IEEE 802.3 clauses 3.1.1 and 4.4.2).
inline constexpr Bytes ethernet_preamble{8};  ///< with the start frame delimiter
inline constexpr Bytes ethernet_fcs{4};
inline constexpr Bytes ethernet_gap{12};

/// All that a frame of `size` (without FCS) takes of the wire's time.
constexpr Bytes wire_bytes(Bytes size) { return ethernet_preamble + size + ethernet_fcs + ethernet_gap; }

}  // namespace peerpath::device
