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
  while (!nic.holding.empty() && nic.holding.front().out <= now && nic.holding.front().ends == 0) release(nic);
}

/// The oldest packet leaves the receive buffer.
void Fleet::release(Nic& nic) {
  const auto packet = nic.holding.front();
  nic.held -= packet.bytes;
  if (nic.known > 0) --nic.known;
  nic.holding.pop();
  if (delivered && packet.payload > 0) delivered(packet.qp, packet.payload);
}

void Fleet::settle(Instant now) {
  for (auto& nic : nics_) let_out(nic, now);
}

/// Takes a packet into the NIC's receive buffer, from which the host's memory draws at its rate; false: memory takes it
/// at once.
bool Fleet::fill(Nic& nic, HostIndex host, std::int64_t bytes, Instant now) {
  if (nic.memory.rates().drain == BitRate{} && !nic.translations && !nic.contexts) return false;
  const auto out = nic.memory.drain(Bytes{bytes}, now);
  nic.holding.push({.bytes = static_cast<std::int32_t>(bytes), .out = out});
  nic.held += bytes;
  pause_if_full(nic, host, now);
  return true;
}

void Fleet::pause_if_full(Nic& nic, HostIndex host, Instant now) {
  if (nic.held <= config_.pause_above.count() || nic.pausing) return;
  nic.pausing = true;
  ++nic.counters.pauses;
  pause(host, true, now);
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
  pause(host, false, now);
}

void Fleet::pause(HostIndex host, bool on, Instant now) {
  for (const auto priority : config_.paused) network_->pause(host, priority, on, now);
}

/// Entries are read over PCIe one after the other. Before a PCIe that is simulated each is a time, too.
void Fleet::wait_for_entry(Nic& nic, Duration miss, Instant now) {
  if (nic.dma != nullptr)
    nic.looked_up = std::max(nic.looked_up, now) + miss;
  else if (!nic.holding.empty())
    nic.holding.back().out = nic.memory.wait(miss, now);
}

/// The packet that is being taken in waits for the context of its queue pair.
void Fleet::look_up(Nic& nic, QpIndex qp, Instant now) {
  if (!nic.contexts) return;
  ++nic.counters.contexts;
  if (nic.contexts->use(qp)) return;
  ++nic.counters.contexts_missed;
  wait_for_entry(nic, config_.contexts.miss, now);
}

/// The packet that is being taken in waits for its translations, one after the other, and what follows waits behind it.
void Fleet::translate(const QueuePair& qp, std::uint64_t address, std::uint32_t length) {
  auto& nic = nics_[qp.host];
  if (!nic.translations || length == 0) return;
  const auto page = static_cast<std::uint64_t>(config_.translations.page.count());
  for (auto at = address; at < address + length; at = (at / page + 1) * page) {
    ++nic.counters.translations;
    if (nic.translations->use(config_.translations.entry(qp.number, at))) continue;
    ++nic.counters.translations_missed;
    wait_for_entry(nic, config_.translations.miss, arriving_at_);
  }
}

/// Payload of the packet that is being taken in is for memory.
void Fleet::place(HostIndex host, QpIndex number, std::uint32_t length) {
  auto& nic = nics_[host];
  nic.counters.payload += length;
  if (length == 0) return;
  if (nic.dma != nullptr) return write_in(nic, host, number, length);
  if (is_held_) {
    nic.holding.back().payload = length;
    nic.holding.back().qp = number;
  } else if (delivered) {
    delivered(number, length);
  }
}

/// Read responses wait while the NIC has no room for what is read.
bool Fleet::holds_back(const Nic& nic, const QueuePair& qp) {
  return qp.responder.sends_data() && nic.transmit_buffer() > 0 && nic.staged_bytes >= nic.transmit_buffer();
}

/// Asks for the data of packets ahead, as far as the NIC has room.
void Fleet::stage(Nic& nic, HostIndex host, Instant now) {
  network::Packet packet;
  while (nic.staged_bytes < nic.transmit_buffer() && pick(nic, host, 0xff, now, packet))
    stage(nic, host, packet, std::bit_cast<Packet>(packet.cargo).length, now);
}

void Fleet::stage(Nic& nic, HostIndex host, const network::Packet& packet, std::uint32_t length, Instant now) {
  const auto before = nic.staged.empty() ? now : nic.staged.back().ready;
  auto& staged = nic.staged.push({.packet = packet});
  nic.staged_bytes += packet.bytes;
  if (nic.dma != nullptr) return read_out(nic, host, length, now);
  staged.ready = std::max(before, nic.memory.fetch(Bytes{packet.bytes}, nic.held, now));
  ++nic.ready;
}

/// In the order in which it was read: what waits in a paused priority holds up what follows.
bool Fleet::next_staged(Nic& nic, HostIndex host, std::uint8_t open, Instant now, network::Packet& out) {
  bool sent = false;
  if (nic.ready > 0) {
    const auto& first = nic.staged.front();
    if (!(open >> first.packet.priority & 1)) return false;
    if (first.ready > now) return wake_later(nic, host, first.ready);
    out = first.packet;
    nic.staged_bytes -= out.bytes;
    nic.staged.pop();
    --nic.ready;
    leaves(host, out, now);
    sent = true;
  }
  stage(nic, host, now);
  return sent;
}

}  // namespace peerpath::roce
