// Receive coalescing in the model (LRO, HW-GRO): TCP segments of a flow that follow each other become one packet.
#pragma once

#include <deque>
#include <functional>

#include "devices/nic/rx_queue.hpp"

namespace peerpath::nic {

/// A frame of TCP with payload, as it stands in the FIFO.
struct Segment {
  RxFrame frame;
  net::FlowKey key{};
  std::uint32_t sequence = 0;
  std::uint8_t flags = 0;  ///< of TCP
  Bytes most{};            ///< payload that its queue's buffers can hold of one packet
};

/// Joins by the rules of Linux's software GRO, as `Coalescer` does with real bytes: same flow and queue, sequence
/// numbers without a gap, only ACK and PSH set, payload of equal size but for the last. PSH, a shorter segment and a
/// full packet end a join; everything else of the flow lets what was held go first. All frames of a packet stay in the
/// FIFO until it is in memory. The packet has the time and handle of its first segment: its latency is that of the one
/// that waited longest.
class SegmentMerger {
 public:
  using Deliver = std::function<void(const RxFrame&)>;
  static constexpr std::size_t most_flows = 512;  ///< held at a time, as `Coalescer` does

  /// A packet gets `most` payload and waits `wait` after its first segment.
  SegmentMerger(Bytes most, Duration wait) : most_{most}, wait_{wait} {}

  /// Takes a segment; what goes on is delivered, in order.
  void take(const Segment& segment, Instant now, const Deliver& deliver);
  /// A frame of this flow goes another way: what is held of it is delivered first.
  void let_go(const net::FlowKey& key, const Deliver& deliver);
  /// Delivers what has waited long enough.
  void on_timer(Instant now, const Deliver& deliver);
  /// When on_timer is to be called; `never` if nothing is held.
  Instant due() const { return held_.empty() ? never : held_.front().due; }
  /// Takes out what is held for a queue, which has been stopped; `drop` hears of each packet.
  void drop(QueueIndex queue, const Deliver& drop);
  void clear() { held_.clear(); }

 private:
  struct Held {
    Segment first;  ///< its frame with the payload of all so far
    Bytes each{};   ///< payload of the first
    Instant due{};
  };
  bool fits(const Held& held, const Segment& segment) const;

  Bytes most_;
  Duration wait_;
  std::deque<Held> held_;  ///< in order of arrival
};

}  // namespace peerpath::nic
