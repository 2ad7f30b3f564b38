// What lies between the NICs of a fleet and the memory of their hosts: receive buffers that memory draws from and that
// pause the switch, data that is asked for ahead of the wire, and hosts that are rates.
#include <algorithm>
#include <bit>

#include "transport/roce/fleet.hpp"

namespace peerpath::roce {

/// Whether the receive buffer has room for a packet.
bool Fleet::has_room(Nic& nic, std::int64_t bytes, Instant now) {
  let_out(nic, now);
  const auto held = nic.held + bytes;
  nic.counters.buffer_peak = std::max(nic.counters.buffer_peak, held);
  if (held <= config_.buffer.count()) return true;
  ++nic.counters.dropped;
  return false;
}

/// What is out of the receive buffer by now, but for ends of messages, which have an alarm of their own.
void Fleet::let_out(Nic& nic, Instant now) {
  while (!nic.holding.empty() && nic.holding.front().out <= now && nic.holding.front().ends == 0) {
    nic.held -= nic.holding.front().bytes;
    if (nic.known > 0) --nic.known;
    nic.holding.pop();
  }
}

/// Takes a packet into the NIC's receive buffer, from which the host's memory draws at its rate.
void Fleet::fill(Nic& nic, HostIndex host, std::int64_t bytes, Instant now) {
  const auto& r = nic.rates;
  if (r.drain == BitRate{}) return;
  const auto rate = sends_much(nic, now) ? r.drain_beside : r.drain;
  nic.shared_drained =
      std::max(nic.shared_drained, now) + shared_time(nic, Bytes{bytes}, r.drain_beside, nic.shared_fetched > now);
  nic.drained = std::max(std::max(nic.drained, now) + Bytes{bytes} / rate, nic.shared_drained);
  nic.holding.push({.bytes = static_cast<std::int32_t>(bytes), .out = nic.drained});
  nic.held += bytes;
  pause_if_full(nic, host, now);
}

void Fleet::pause_if_full(Nic& nic, HostIndex host, Instant now) {
  if (nic.held <= config_.pause_above.count() || nic.pausing) return;
  nic.pausing = true;
  ++nic.counters.pauses;
  network_->pause(host, config_.priority, true, now);
  if (const auto then = resume_at(nic); then != never) network_->wake_at(std::max(now, then), host, drained);
}

/// When so much is out of the receive buffer that the switch may send again; `never`: that is not known yet.
Instant Fleet::resume_at(const Nic& nic) const {
  auto left = nic.held;
  for (std::size_t i = 0; i < nic.holding.size(); ++i) {
    if (nic.holding[i].out == never) return never;
    left -= nic.holding[i].bytes;
    if (left <= config_.resume_below.count()) return nic.holding[i].out;
  }
  return never;
}

void Fleet::resume(Nic& nic, HostIndex host, Instant now) {
  if (!nic.pausing) return;
  const auto then = resume_at(nic);
  if (nic.held > config_.resume_below.count() && then > now) {
    if (then != never) network_->wake_at(then, host, drained);
    return;
  }
  nic.pausing = false;
  network_->pause(host, config_.priority, false, now);
}

/// Payload of the packet that is being taken in is for memory.
void Fleet::place(HostIndex host, std::uint32_t length) {
  auto& nic = nics_[host];
  nic.counters.payload += length;
  if (nic.dma != nullptr && length > 0) write_in(nic, host, length);
}

/// What bytes take of the limit that both ways share: of all of it, or of one way's part while the other is busy.
Duration Fleet::shared_time(const Nic& nic, Bytes bytes, BitRate own, bool both) {
  const auto& r = nic.rates;
  if (r.together == BitRate{}) return {};
  if (!both) return bytes / r.together;
  const auto part = static_cast<WideInt>(r.together.bps()) * own.bps() / (r.drain_beside.bps() + r.fetch_beside.bps());
  return bytes / BitRate{static_cast<std::int64_t>(part)};
}

bool Fleet::sends_much(const Nic& nic, Instant now) {
  return nic.fetched > now && now - nic.fetching_since > Bytes{backlog} / nic.rates.fetch;
}

/// Data leaves a host's memory at its rate.
void Fleet::fetch(Nic& nic, std::int64_t bytes, Instant now) {
  const auto& r = nic.rates;
  if (r.fetch == BitRate{}) return;
  if (nic.fetched < now) nic.fetching_since = now;
  const auto rate = receives_much(nic) ? r.fetch_beside : r.fetch;
  nic.shared_fetched =
      std::max(nic.shared_fetched, now) + shared_time(nic, Bytes{bytes}, r.fetch_beside, nic.shared_drained > now);
  nic.fetched = std::max(std::max(nic.fetched, now) + Bytes{bytes} / rate, nic.shared_fetched);
}

/// Read responses wait while the NIC has no room for what is read.
bool Fleet::holds_back(const Nic& nic, const QueuePair& qp) {
  return qp.responder.sends_data() && nic.transmit_buffer() > 0 && nic.staged_bytes >= nic.transmit_buffer();
}

/// Asks for the data of packets ahead, as far as the NIC has room.
void Fleet::stage(Nic& nic, HostIndex host, Instant now) {
  network::Packet packet;
  while (nic.staged_bytes < nic.transmit_buffer() && pick(nic, host, now, packet))
    stage(nic, host, packet, std::bit_cast<Packet>(packet.cargo).length, now);
}

void Fleet::stage(Nic& nic, HostIndex host, const network::Packet& packet, std::uint32_t length, Instant now) {
  const auto before = nic.staged.empty() ? now : nic.staged.back().ready;
  auto& staged = nic.staged.push({.packet = packet});
  nic.staged_bytes += packet.bytes;
  if (nic.dma != nullptr) return read_out(nic, host, length, now);
  fetch(nic, packet.bytes, now);
  const auto later = receives_much(nic) ? nic.rates.send_latency_beside : nic.rates.send_latency;
  staged.ready = std::max(before, std::max(now, nic.fetched) + later);
  ++nic.ready;
}

bool Fleet::next_staged(Nic& nic, HostIndex host, Instant now, network::Packet& out) {
  bool sent = false;
  if (nic.ready > 0) {
    const auto& first = nic.staged.front();
    if (first.ready > now) return wake_later(nic, host, first.ready);
    out = first.packet;
    nic.staged_bytes -= out.bytes;
    nic.staged.pop();
    --nic.ready;
    sent = true;
  }
  stage(nic, host, now);
  return sent;
}

}  // namespace peerpath::roce
