// NICs whose hosts take time to take data in and to give it. What comes in holds its place in the NIC's buffer until
// its payload is in memory, and comes to the ring in its order; segments are read ahead of the wire, as far as the NIC
// has room, and leave in their order.
#include <algorithm>

#include "transport/tcp/fleet.hpp"

namespace peerpath::tcp {

bool Fleet::has_room(Host& host, std::int64_t bytes) const {
  return host.dma == nullptr || host.held + bytes <= config_.host.nic_buffer.count();
}

void Fleet::write_in(HostIndex index, const Received& in, std::int64_t bytes, Instant now) {
  auto& host = hosts_[index];
  host.arriving.push({in, bytes, never});
  host.held += bytes;
  host.counters.buffer_peak = std::max(host.counters.buffer_peak, host.held);
  if (in.segment.length > 0) host.dma->write(Bytes{in.segment.length}, now);
  note_written(index, now);
  keep_ticking(index, now);
  const auto above = config_.host.pause_above.count();
  if (above == 0 || host.held <= above || host.pausing) return;
  host.pausing = true;
  ++host.counters.pauses;
  network_->pause(index, config_.priority, true, now);
}

/// Takes note of when what arrives is in memory. What has no payload is there with what came before it.
void Fleet::note_written(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  auto& written = host.dma->written;
  for (; host.known < host.arriving.size(); ++host.known) {
    auto& next = host.arriving[host.known];
    if (next.packet.segment.length > 0) {
      if (written.empty()) break;
      host.last_in = std::max(host.last_in, written.front());
      written.pop();
    }
    next.in = std::max(now, host.last_in);
  }
  let_in(index, now);
}

/// What is in memory by now goes to the ring.
void Fleet::let_in(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  while (host.known > 0 && host.arriving.front().in <= now) {
    const auto arrived = host.arriving.front();
    host.arriving.pop();
    --host.known;
    host.held -= arrived.bytes;
    enter(index, arrived.packet, now);
  }
  if (host.pausing && host.held <= config_.host.pause_above.count() / 10 * 9) {
    host.pausing = false;
    network_->pause(index, config_.priority, false, now);
  }
  if (host.known == 0 || host.placing) return;
  host.placing = true;
  network_->wake_at(host.arriving.front().in, index, placed);
}

/// Moves segments into the NIC as far as it has room, and asks memory for their data.
void Fleet::stage(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  const auto room = host.dma->transmit_buffer().count();
  while (!host.out.empty() && (host.staged.empty() || host.staged_bytes < room)) {
    const auto segment = host.out.front();
    const auto size = frame_size(segment);
    host.out.pop();
    host.out_bytes -= size;
    host.staged.push({segment, never});
    host.staged_bytes += size;
    if (segment.length > 0) host.dma->read(Bytes{segment.length}, now);
  }
  note_fetched(host, now);
  keep_ticking(index, now);
}

void Fleet::note_fetched(Host& host, Instant now) {
  auto& fetched = host.dma->fetched;
  for (; host.ready < host.staged.size(); ++host.ready) {
    auto& next = host.staged[host.ready];
    if (next.segment.length > 0) {
      if (fetched.empty()) break;
      host.last_out = std::max(host.last_out, fetched.front());
      fetched.pop();
    }
    next.ready = std::max(now, host.last_out);
  }
}

/// The next segment that leaves, if it is in the NIC.
std::optional<Segment> Fleet::next_staged(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  stage(index, now);
  if (host.ready == 0) return std::nullopt;
  const auto first = host.staged.front();
  if (first.ready > now) {
    if (first.ready >= host.fetching) return std::nullopt;
    host.fetching = first.ready;
    network_->wake_at(first.ready, index, ready);
    return std::nullopt;
  }
  host.staged.pop();
  --host.ready;
  host.staged_bytes -= frame_size(first.segment);
  stage(index, now);
  return first.segment;
}

void Fleet::keep_ticking(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  if (host.ticking || (host.known == host.arriving.size() && host.ready == host.staged.size())) return;
  host.ticking = true;
  network_->wake_at(now + host.dma->latency(), index, tick);
}

/// Lets the host compute, and takes note of what will be over when.
void Fleet::advance(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  host.ticking = false;
  host.dma->advance(now + host.dma->latency());
  note_fetched(host, now);
  note_written(index, now);
  keep_ticking(index, now);
  if (host.ready > 0) network_->ready(index, now);
}

}  // namespace peerpath::tcp
