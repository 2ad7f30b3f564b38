// Streams of frames that want to be sent, and the port that puts several of them on one wire.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "peerpath/device/frame_source.hpp"

namespace peerpath::transport {

/// A frame and when its sender has it ready.
struct TimedFrame {
  Instant ready{};
  device::Frame frame{};
};

/// One stream of frames, in order of `ready`.
class FrameStream {
 public:
  virtual ~FrameStream() = default;
  virtual std::optional<TimedFrame> next() = 0;
};

/// Handles of generated frames name their stream, so that whoever receives a payload knows which traffic it is.
constexpr std::uint64_t frame_handle(std::uint16_t stream, std::uint64_t number) {
  return std::uint64_t{stream} << 48 | number;
}
constexpr std::uint16_t stream_of(std::uint64_t handle) { return static_cast<std::uint16_t>(handle >> 48); }

/// The far end of an Ethernet cable: sends what its streams have, first come first served (of two at one instant the
/// stream added first), each frame behind the gap of the one before it.
class EthernetSender final : public device::FrameSource {
 public:
  /// Rate of the line, and how long a bit takes to the other end.
  explicit EthernetSender(BitRate line_rate, Duration latency = {}) : rate_{line_rate}, latency_{latency} {}

  void add(std::unique_ptr<FrameStream> stream);
  bool empty() const { return streams_.empty(); }
  /// Is told of every frame in the order in which they arrive, when it is handed out.
  void watch(std::function<void(const device::FrameArrival&)> watcher) { watcher_ = std::move(watcher); }

  std::optional<device::FrameArrival> next() override;

 private:
  struct Waiting {
    std::unique_ptr<FrameStream> stream;
    std::optional<TimedFrame> head;
  };
  std::optional<device::FrameArrival> send(Waiting& from);

  BitRate rate_;
  Duration latency_;
  Instant free_{};
  Bytes last_size_{};
  Duration to_last_bit_{}, to_next_{};  ///< of a frame of `last_size_`, for sizes repeat
  std::vector<Waiting> streams_;
  std::function<void(const device::FrameArrival&)> watcher_;
};

}  // namespace peerpath::transport
