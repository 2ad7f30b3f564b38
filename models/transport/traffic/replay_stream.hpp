// Replays captured frames, at their own timing or scaled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "transport/traffic/frame_stream.hpp"

namespace peerpath::transport {

/// A frame as a capture has it: the first bytes, and how long it was.
struct CapturedFrame {
  std::chrono::nanoseconds time{};  ///< since whatever the capture's clock counts from
  std::vector<std::uint8_t> bytes;  ///< from the Ethernet header on; at most `Frame::header_capacity` are used
  Bytes size{};                     ///< on the wire, without FCS
};

/// How to replay.
struct Replay {
  std::uint16_t stream = 0;
  Instant start{};                            ///< of the first frame
  std::int64_t scale_millionths = 1'000'000;  ///< of the capture's distances: 2'000'000 is half the speed
};

/// The frames of a capture once, in order of time; those that the capture has at one time keep its order. The wire
/// spaces frames that come closer than it can carry them. A frame whose time is beyond what 64 bits of femtoseconds
/// count, 2.5 hours, ends the stream: no run lasts that long.
class ReplayStream final : public FrameStream {
 public:
  ReplayStream(std::shared_ptr<const std::vector<CapturedFrame>> frames, Replay replay);

  std::optional<TimedFrame> next() override;

 private:
  std::shared_ptr<const std::vector<CapturedFrame>> frames_;
  std::vector<std::uint32_t> order_;
  Replay replay_;
  std::size_t sent_ = 0;
};

}  // namespace peerpath::transport
