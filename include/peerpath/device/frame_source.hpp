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

}  // namespace peerpath::device
