#include "transport/traffic/replay_stream.hpp"

#include <algorithm>
#include <numeric>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::transport {
namespace {

/// Frames later than this are never sent: no run lasts that long, and later times would not fit into 64 bits.
constexpr Instant last_start = never - std::chrono::seconds{200};

}  // namespace

ReplayStream::ReplayStream(std::shared_ptr<const std::vector<CapturedFrame>> frames, Replay replay)
    : frames_{std::move(frames)}, order_(frames_->size()), replay_{replay} {
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return (*frames_)[i].time; });
}

std::optional<TimedFrame> ReplayStream::next() {
  if (sent_ == order_.size()) return {};
  const auto& first = (*frames_)[order_.front()];
  const auto& captured = (*frames_)[order_[sent_]];
  const auto offset =  // in femtoseconds: ns * 1e6 millionths
      (static_cast<WideInt>(captured.time.count()) - first.time.count()) * replay_.scale_millionths;
  if (offset > femtoseconds(last_start) - femtoseconds(replay_.start)) return {};
  TimedFrame timed;
  timed.ready = replay_.start + Duration{narrow(offset)};
  timed.frame.handle = frame_handle(replay_.stream, sent_++);
  const auto used = std::min(captured.bytes.size(), device::Frame::header_capacity);
  std::copy_n(captured.bytes.begin(), used, timed.frame.header);
  timed.frame.header_size = static_cast<std::uint16_t>(used);
  timed.frame.size = net::padded(captured.size);
  return timed;
}

}  // namespace peerpath::transport
