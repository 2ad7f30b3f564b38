#include "transport/tcp/fleet.hpp"

#include <algorithm>
#include <bit>

namespace peerpath::tcp {
namespace {

using Cargo = decltype(network::Packet::cargo);
static_assert(sizeof(Segment) == sizeof(Cargo));

constexpr std::size_t poll_budget = 64;  ///< kernel: NAPI_POLL_WEIGHT
constexpr std::int64_t pieces_waiting = 2;

bool is_plain(const Segment& s) {
  return s.length > 0 && s.blocks == 0 && (s.flags & (flag::syn | flag::fin | flag::rst | flag::cwr)) == 0;
}

}  // namespace

void Fleet::attach(network::Network& network) {
  network_ = &network;
  hosts_.resize(network.graph().hosts.size());
  for (std::size_t h = 0; h < config_.dma.size() && h < hosts_.size(); ++h) hosts_[h].dma = config_.dma[h];
}

EndIndex Fleet::connect(HostIndex a, HostIndex b, const Consumer& consumer) {
  const auto first = static_cast<EndIndex>(ends_.size());
  for (const auto side : {0u, 1u}) {
    const auto index = first + side;
    auto& end = ends_.emplace_back(config_.connection, static_cast<std::uint32_t>(mix(seed_ ^ mix(index))),
                                   side == 0 ? a : b, index, consumer);
    end.hash =
        static_cast<std::uint32_t>(mix(std::uint64_t{a} << 40 | std::uint64_t{b} << 16 | (first & 0xffff)) ^ side);
  }
  return first;
}

void Fleet::open(EndIndex index, std::int64_t bytes, bool closes, Instant now) {
  auto& end = ends_[index];
  ends_[index ^ 1].connection.close();  // it has nothing to send
  if (!network_->owns(end.host)) return;
  end.connection.write(bytes);
  if (closes) end.connection.close();
  end.connection.connect();
  activate(end, now);
  settle(end, now);
}

void Fleet::keep_memory(EndIndex index, bool keeps, Instant now) {
  auto& end = ends_[index];
  if (!network_->owns(end.host)) return;
  end.keeps = keeps;
  if (keeps || end.owed == 0) return;
  end.connection.give_back(end.owed);
  end.owed = 0;
  settle(end, now);
}

/// When the kernel's core has done so much more.
Instant Fleet::work(Host& host, Duration cost, Instant now) {
  host.kernel = std::max(host.kernel, now) + cost;
  host.counters.kernel += cost;
  return host.kernel;
}

/// The same of an application's.
Instant Fleet::work(End& end, Duration cost, Instant now) {
  if (config_.host.one_core) return work(hosts_[end.host], cost, now);
  end.core = std::max(end.core, now) + cost;
  end.worked += cost;
  return end.core;
}

// ---- receiving

bool Fleet::has_memory(const End& end, const Segment& s) const {
  const auto& receiver = end.connection.receiver();
  const auto memory = end.consumer.memory.value_or(config_.connection.receive_buffer).count();
  return receiver.waiting() + receiver.readable() + receiver.held() + end.in_ring + s.length <= memory;
}

void Fleet::arrived(HostIndex index, const network::Packet& packet, Instant now) {
  auto& host = hosts_[index];
  const Received in{std::bit_cast<Segment>(packet.cargo), packet.congestion_experienced};
  ++host.counters.received;
  if (tap) tap(index, false, in.segment, in.marked, now);
  auto& end = ends_[in.segment.connection];
  if (host.ring.size() + host.arriving.size() >= static_cast<std::size_t>(config_.host.ring) ||
      (in.segment.length > 0 && !has_memory(end, in.segment)) || !has_room(host, packet.bytes)) {
    ++host.counters.dropped;
    return;
  }
  end.in_ring += in.segment.length;
  if (host.dma != nullptr) return write_in(index, in, packet.bytes, now);
  enter(index, in, now);
}

/// A packet is in memory, and a core can take it.
void Fleet::enter(HostIndex index, const Received& in, Instant now) {
  auto& host = hosts_[index];
  host.ring.push(in);
  if (host.busy) return;
  host.busy = true;
  const auto at = std::max(now + config_.host.interrupt_delay, host.kernel);
  if (at == now) return poll(index, now);
  network_->wake_at(at, index, interrupt);
}

/// A core takes what has come, as far as its budget goes.
void Fleet::poll(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  const auto count = std::min(host.ring.size(), poll_budget);
  std::int64_t pieces = 0, merged = 0;
  EndIndex last = ~EndIndex{0};
  for (std::size_t i = 0; i < count; ++i) {
    const auto& s = host.ring[i].segment;
    const bool joins = s.connection == last && is_plain(s) && merged + s.length <= config_.host.gro.count();
    merged = joins ? merged + s.length : s.length;
    last = is_plain(s) ? s.connection : ~EndIndex{0};
    pieces += joins ? 0 : 1;
  }
  const auto cost = config_.host.packet_cost * static_cast<std::int64_t>(count) + config_.host.segment_cost * pieces;
  host.polling = count;
  const auto at = work(host, cost, now);
  if (at > now) return network_->wake_at(at, index, polled);
  deliver(index, count, now);
}

void Fleet::deliver(HostIndex index, std::size_t packets, Instant now) {
  auto& host = hosts_[index];
  std::vector<Received> pieces;
  for (std::size_t i = 0; i < packets; ++i) {
    const auto in = host.ring.front();
    host.ring.pop();
    ends_[in.segment.connection].in_ring -= in.segment.length;
    if (!pieces.empty()) {
      auto& last = pieces.back();
      auto& s = last.segment;
      const bool follows = s.connection == in.segment.connection && is_plain(s) && is_plain(in.segment) &&
                           in.segment.sequence == s.sequence + s.length && last.marked == in.marked;
      if (follows && s.length + in.segment.length <= config_.host.gro.count()) {
        const auto length = s.length + in.segment.length;
        s = in.segment;
        s.sequence = in.segment.sequence + in.segment.length - length;
        s.length = length;
        continue;
      }
    }
    pieces.push_back(in);
  }
  for (const auto& piece : pieces) take(piece, now);
  if (!host.ring.empty()) return poll(index, now);
  host.busy = false;
}

void Fleet::take(const Received& in, Instant now) {
  auto& end = ends_[in.segment.connection];
  end.connection.receive(in.segment, in.marked, now);
  look(end, now);
  settle(end, now);
}

/// The application reads if there is something, and it is not at it already.
void Fleet::look(End& end, Instant now) {
  while (end.reading == 0) {
    const auto bytes = std::min(end.connection.readable(), end.consumer.read_size.count());
    if (bytes == 0) {
      if (end.done || !end.connection.finished() || !completed) return;
      end.done = true;
      return completed(end.index, now);
    }
    end.reading = bytes;
    auto cost = config_.host.syscall_cost;
    if (end.consumer.rate != BitRate{}) cost += Bytes{bytes} / end.consumer.rate;
    const auto at = work(end, cost, now);
    if (at > now) return network_->wake_at(at, end.index, read);
    read_done(end, now);
  }
}

void Fleet::read_done(End& end, Instant now) {
  const auto bytes = end.reading;
  end.reading = 0;
  end.connection.read(bytes);
  end.owed += bytes;
  if (taken) taken(end.index, bytes, now);
  const bool enough = end.owed >= end.consumer.return_every.count() || end.connection.readable() == 0;
  if (end.keeps || !enough) return;
  work(end, config_.host.syscall_cost, now);
  end.connection.give_back(end.owed);
  end.owed = 0;
}

// ---- sending

/// Something has happened at this end: it may have to send, and its timer to be set.
void Fleet::settle(End& end, Instant now) {
  activate(end, now);
  watch(end, now);
}

void Fleet::watch(End& end, Instant now) {
  const auto deadline = end.connection.deadline();
  if (deadline >= end.alarm) return;
  end.alarm = deadline;
  network_->wake_at(std::max(now, deadline), end.index, timer);
}

void Fleet::activate(End& end, Instant now) {
  if (end.waits || !end.connection.can_send()) return;
  end.waits = true;
  hosts_[end.host].sending.push(end.index);
  build(end.host, now);
  network_->ready(end.host, now);
}

/// Cuts a piece of the connection whose turn it is.
bool Fleet::pull(Host& host, Instant now) {
  while (!host.sending.empty()) {
    auto& end = ends_[host.sending.front()];
    host.sending.pop();
    std::int64_t data = 0;
    while (const auto segment = end.connection.next(now)) {
      host.building.push_back(*segment);
      host.building.back().connection = end.index ^ 1;
      data += segment->length;
      if (segment->length == 0 || data + end.connection.mss() > config_.host.tso.count()) break;
    }
    end.waits = false;
    if (end.connection.can_send()) {
      end.waits = true;
      host.sending.push(end.index);
    }
    watch(end, now);
    if (!host.building.empty()) return true;
  }
  return false;
}

void Fleet::build(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  const auto most = std::max<std::int64_t>(pieces_waiting * config_.host.tso.count(), 1);
  while (!host.builds && host.out_bytes < most && pull(host, now)) {
    std::int64_t data = 0;
    for (const auto& s : host.building) data += s.length;
    auto cost = config_.host.segment_cost;
    if (data > 0) cost += config_.host.syscall_cost;
    auto& end = ends_[host.building.front().connection ^ 1];
    const auto at = data == 0 ? work(host, cost, now) : work(end, cost, now);
    host.builds = true;
    if (at > now) return network_->wake_at(at, index, built);
    finish_build(host);
    if (host.dma != nullptr) stage(index, now);
  }
}

void Fleet::finish_build(Host& host) {
  for (const auto& s : host.building) {
    host.out.push(s);
    host.out_bytes += frame_size(s);
  }
  host.building.clear();
  host.builds = false;
}

std::optional<Segment> Fleet::next_segment(HostIndex index, Instant now) {
  auto& host = hosts_[index];
  if (host.out.empty()) build(index, now);
  if (host.dma != nullptr) return next_staged(index, now);
  if (host.out.empty()) return std::nullopt;
  const auto segment = host.out.front();
  host.out.pop();
  host.out_bytes -= frame_size(segment);
  return segment;
}

bool Fleet::next(HostIndex index, std::uint8_t open, Instant now, network::Packet& packet) {
  auto& host = hosts_[index];
  if (!(open >> config_.priority & 1)) return false;
  const auto next = next_segment(index, now);
  if (!next) return false;
  const auto& segment = *next;
  const auto size = frame_size(segment);
  ++host.counters.sent;
  const auto& end = ends_[segment.connection ^ 1];
  packet.source = index;
  packet.destination = ends_[segment.connection].host;
  packet.flow_hash = end.hash;
  packet.destination_qp = 0;
  packet.bytes = static_cast<std::int32_t>(size);
  packet.priority = static_cast<std::uint8_t>(config_.priority);
  packet.ecn_capable = segment.length > 0 && end.connection.marks();
  packet.cargo = std::bit_cast<Cargo>(segment);
  if (tap) tap(index, true, segment, false, now);
  build(index, now);
  return true;
}

void Fleet::woken(std::uint32_t subject, std::uint64_t detail, Instant now) {
  switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
    case timer: {
      auto& end = ends_[subject];
      if (end.alarm > now) return;  // an earlier one has taken its place
      end.alarm = never;
      end.connection.expire(now);
      return settle(end, now);
    }
    case interrupt:
      return poll(subject, now);
    case polled:
      return deliver(subject, hosts_[subject].polling, now);
    case read: {
      auto& end = ends_[subject];
      read_done(end, now);
      look(end, now);
      return settle(end, now);
    }
    case built:
      finish_build(hosts_[subject]);
      if (hosts_[subject].dma != nullptr) stage(subject, now);
      build(subject, now);
      return network_->ready(subject, now);
    case app:
      if (alarm) alarm(detail >> alarm_bits, now);
      return;
    case placed:
      hosts_[subject].placing = false;
      return let_in(subject, now);
    case ready:
      hosts_[subject].fetching = never;
      return network_->ready(subject, now);
    case tick:
      return advance(subject, now);
  }
}

}  // namespace peerpath::tcp
