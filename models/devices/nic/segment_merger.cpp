#include "devices/nic/segment_merger.hpp"

#include <algorithm>

namespace peerpath::nic {
namespace {

constexpr std::uint8_t ack = 0x10;

bool mergeable(const Segment& s) {
  return !s.frame.error && (s.flags & ~net::tcp_psh) == ack && s.frame.record.payload > Bytes{0};
}

}  // namespace

bool SegmentMerger::fits(const Held& held, const Segment& s) const {
  const auto& so_far = held.first.frame.record;
  const auto next = held.first.sequence + static_cast<std::uint32_t>(so_far.payload.count());
  return mergeable(s) && s.sequence == next && s.frame.record.queue == so_far.queue &&
         s.frame.header_length == held.first.frame.header_length && s.frame.in_front == held.first.frame.in_front &&
         s.frame.record.payload <= held.each && so_far.payload + s.frame.record.payload <= std::min(most_, s.most);
}

void SegmentMerger::take(const Segment& segment, Instant now, const Deliver& deliver) {
  const auto of_flow = [&](const Held& held) { return held.first.key == segment.key; };
  auto found = std::ranges::find_if(held_, of_flow);
  if (found != held_.end() && !fits(*found, segment)) {
    deliver(found->first.frame);
    held_.erase(found);
    found = held_.end();
  }
  if (found == held_.end()) {
    if (!mergeable(segment)) return deliver(segment.frame);
    if (held_.size() == most_flows) {
      deliver(held_.front().first.frame);
      held_.pop_front();
    }
    held_.push_back({segment, segment.frame.record.payload, now + wait_});
    found = held_.end() - 1;
  } else {
    auto& frame = found->first.frame;
    frame.record.payload += segment.frame.record.payload;
    frame.record.frame += segment.frame.record.frame;
    frame.ready = std::max(frame.ready, segment.frame.ready);
  }
  const auto& held = *found;
  const bool full = held.first.frame.record.payload + held.each > std::min(most_, segment.most);
  if (!full && (segment.flags & net::tcp_psh) == 0 && segment.frame.record.payload == held.each) return;
  deliver(held.first.frame);
  held_.erase(found);
}

void SegmentMerger::let_go(const net::FlowKey& key, const Deliver& deliver) {
  const auto found = std::ranges::find_if(held_, [&](const Held& held) { return held.first.key == key; });
  if (found == held_.end()) return;
  deliver(found->first.frame);
  held_.erase(found);
}

void SegmentMerger::on_timer(Instant now, const Deliver& deliver) {
  for (; !held_.empty() && held_.front().due <= now; held_.pop_front()) deliver(held_.front().first.frame);
}

void SegmentMerger::drop(QueueIndex queue, const Deliver& drop) {
  std::erase_if(held_, [&](const Held& held) {
    const bool of_queue = held.first.frame.record.queue == queue;
    if (of_queue) drop(held.first.frame);
    return of_queue;
  });
}

}  // namespace peerpath::nic
