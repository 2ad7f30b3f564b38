#include "devices/nic/transmitter.hpp"

#include <algorithm>

#include "devices/nic/segment.hpp"
#include "peerpath/net/ethernet.hpp"

namespace peerpath::nic {
namespace {

constexpr std::int64_t min_mss = 88, max_mss = 9728;  ///< gve's limits
constexpr std::int64_t max_packet = 256 * 1024;

}  // namespace

void Transmitter::serve(std::vector<TxQueue>& queues, Instant now, device::Outbox& out) {
  while (start_one(queues, now, out)) {}
}

void Transmitter::send_ready(TxQueue& queue, Instant now, device::Outbox& out) {
  while (const auto* packet = queue.front()) {
    send(*packet, now, out);
    queue.complete_front(now, out);
  }
}

bool Transmitter::start_one(std::vector<TxQueue>& queues, Instant now, device::Outbox& out) {
  auto turn = turn_;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    auto& queue = queues[turn];
    turn = turn + 1 == queues.size() ? 0 : turn + 1;
    const auto* descriptor = queue.next();
    if (descriptor == nullptr) continue;
    if (!sensible(*descriptor)) {
      queue.refuse_next(now, out);
      send_ready(queue, now, out);
      return true;
    }
    if (!has_room(held_bytes(*descriptor), now, out)) return false;
    held_ += held_bytes(*descriptor);
    queue.start_next(now, out);
    turn_ = turn;
    return true;
  }
  return false;
}

bool Transmitter::sensible(const TxDescriptor& d) const {
  const std::int64_t payload = d.payload_length;
  if (d.header_length == 0 || d.header_length > net::HeaderBytes::capacity || payload > max_packet) return false;
  if (d.mss > 0) return d.mss >= min_mss && d.mss <= max_mss;
  return Bytes{d.header_length + payload} - net::ethernet_header <= nic_->config.mtu;
}

bool Transmitter::has_room(Bytes packet, Instant now, device::Outbox& out) {
  while (!leaving_.empty() && leaving_.front().end <= now) {
    held_ -= leaving_.front().bytes;
    leaving_.pop();
  }
  if (held_ == Bytes{0} || held_ + packet <= nic_->config.tx_fifo) return true;
  // Room comes either when a frame has left, or when data arrives and can be sent.
  if (!leaving_.empty()) out.wake_at(tx_space_timer, leaving_.front().end);
  return false;
}

void Transmitter::send(const TxQueue::Ready& packet, Instant now, device::Outbox& out) {
  auto& counters = nic_->counters;
  const auto& d = packet.descriptor;
  if (!sensible(d)) return;
  if (packet.failed) {
    held_ -= held_bytes(d);
    return;
  }
  const Segmenter cut{packet.header, Bytes{d.payload_length}, Bytes{d.mss}};
  Instant at = std::max(wire_free_, now + nic_->config.pipeline_latency);
  Duration on_wire{};
  for (int i = 0; i < cut.count(); ++i) {
    const auto segment = cut.at(i);
    device::Frame frame;
    frame.handle = d.handle;
    frame.header_size = segment.header.size;
    std::ranges::copy(segment.header.bytes(), frame.header);
    frame.size = net::padded(Bytes{segment.header.size} + segment.payload);
    at = nic_->sending.take(at);
    out.transmit(0, frame, at);
    const Duration bits = net::wire_size(frame.size) / nic_->config.wire_rate;
    at += bits;
    on_wire += bits;
    ++counters.tx_frames;
    counters.tx_bytes += frame.size;
  }
  wire_free_ = at;
  ++counters.tx_packets;
  counters.tx_payload += Bytes{d.payload_length};
  leaving_.push({at, held_bytes(d), on_wire});
  counters.wire_busy += on_wire;
}

Duration Transmitter::wire_busy(Instant now) const {
  Duration busy = nic_->counters.wire_busy;
  for (std::size_t i = 0; i < leaving_.size(); ++i)
    if (const Leaving& packet = leaving_[i]; packet.end > now) busy -= std::min(packet.on_wire, packet.end - now);
  return busy;
}

}  // namespace peerpath::nic
