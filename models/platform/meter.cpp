#include "platform/meter.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "peerpath/net/ethernet.hpp"
#include "peerpath/net/headers.hpp"
#include "platform/stages.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::platform {
namespace {

/// Behind the headers; short frames are padded, so theirs has to be looked up.
Bytes payload_of(const device::Frame& frame) {
  if (frame.size > net::min_frame && frame.header_size < device::Frame::header_capacity)
    return frame.size - Bytes{frame.header_size};
  return net::parse({frame.header, frame.header_size}, frame.size).payload;
}

}  // namespace

void Meter::built(const fabric::Topology& topology) {
  for (auto& flow : flows_)
    for (std::size_t l = 0; flow.leaf && l < topology.links.size(); ++l) {
      const auto& link = topology.links[l];
      if (link.a != *flow.leaf && link.b != *flow.leaf) continue;
      flow.link = fabric::LinkId{static_cast<std::uint16_t>(l)};
      flow.direction = link.b == *flow.leaf ? 0 : 1;
    }
}

// ------------------------------------------------------------------------------------------------ what happens

// Inlined, each of the two keeps of its steps those of what the caller names.
[[gnu::always_inline]] inline void Meter::count(Happening what) {
  using What = Happening::What;
  auto& own = flow(what.entry);
  auto& result = traffic[what.entry];
  const bool inside = what.when >= begin_;
  switch (what.what) {
    case What::offered:
      own.totals.offered += what.payload;
      own.totals.offered_packets += what.packets;
      if (!inside) return;
      result.offered_packets += what.packets;
      result.offered_payload += what.payload;
      return;
    case What::done:
      if (!own.leaf) {
        own.totals.arrived += what.payload;
        own.totals.largest = std::max(own.totals.largest, what.payload);
      }
      own.totals.ended += what.payload;
      ++own.totals.ended_packets;
      own.latencies.record(what.when - what.begin);
      if (!inside) return;
      ++result.delivered_packets;
      result.held += what.held;
      last_ = std::max(last_, what.when);
      return;
    case What::dropped:
      ++own.totals.dropped_packets;
      own.totals.dropped += what.payload;
      if (!inside) return;
      ++result.dropped_packets;
      first_drops_.try_emplace({what.entry, what.why}, what.when);
      return;
    case What::in_vain:
      ++own.totals.ended_packets;
      if (!inside) return;
      ++own.in_vain;
      last_ = std::max(last_, what.when);
      return;
    case What::lost:
    case What::all_ones:
      if (what.ends) own.totals.failed += what.payload;
      if (!inside) return;
      ++result.failed_transfers;
      (what.what == What::lost ? result.lost : result.all_ones) += what.payload;
      return;
  }
}

[[gnu::always_inline]] inline void Meter::happen(Happening what) {
  if (what.when >= edge_)
    keep(what);
  else
    count(what);
}

/// By value and out of line, so what is counted at once is never put together in memory.
[[gnu::noinline]] void Meter::keep(Happening what) { later_.push_back(what); }

// ------------------------------------------------------------------------------------------------ window

Bytes Meter::Totals::frames_waiting() const {
  const auto frames = static_cast<WideInt>(offered_packets - dropped_packets - ended_packets);
  return offered_packets == 0 ? Bytes{0} : Bytes{narrow(frames * offered.count() / offered_packets)};
}

std::vector<Meter::Totals> Meter::totals(const fabric::Fabric& fabric, Instant now) {
  if (!enough_) offer_until(now);  // who ends the run may have offered more than anybody can count
  std::vector<Totals> all;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const auto& flow = flows_[i];
    auto totals = flow.totals;
    if (flow.leaf) {
      const auto counters = fabric.counters(flow.link, flow.direction);
      const std::vector<Bytes> accounts{counters.accounts.begin(), counters.accounts.end()};
      // Of writes that will be refused nothing arrives, so their TLPs are no part of one that is under way.
      totals.arrived = carried(i, accounts, PayloadOwners::Refused::left_out);
    }
    all.push_back(totals);
  }
  return all;
}

void Meter::begin_window() {
  begin_ = last_ = edge_;
  for (auto& result : traffic) {
    auto of_entry = std::exchange(result, {});
    result.name = std::move(of_entry.name);
    result.kind = std::move(of_entry.kind);
    result.path = std::move(of_entry.path);
    result.from = std::move(of_entry.from);
    result.to = std::move(of_entry.to);
    result.requesters = std::move(of_entry.requesters);
    result.slots = of_entry.slots;
    result.stages = std::move(of_entry.stages);
    for (auto& stage : result.stages) stage.time = {};
  }
  first_drops_.clear();
  for (auto& reading : reading_) reading.held = 0;
  for (auto& flow : flows_) {
    flow.in_vain = 0;
    flow.wire.busy = {};
    for (const auto& [start, until] : flow.wire.latest)
      flow.wire.busy += std::max(until - std::max(start, begin_), Duration{0});
  }
}

void Meter::move_on(Instant next) {
  edge_ = next;
  auto held = std::exchange(later_, {});
  for (const auto& what : held) happen(what);
  for (const auto& mishap : std::exchange(later_mishaps_, {})) fail(mishap);
  for (const auto& packet : std::exchange(later_stages_, {})) stage(packet);
  std::erase_if(later_reads_, [this](const Read& read) {
    if (read.done >= edge_) return false;
    if (read.done >= begin_) reading_[read.requester.value()].held += read.held;
    return true;
  });
}

observe::Histogram Meter::take_latencies(std::size_t entry) {
  auto taken = std::exchange(flow(entry).latencies, {});
  if (begin_ != never) traffic[entry].latency.merge(taken);
  return taken;
}

void Meter::close(const std::vector<Totals>& before, const std::vector<Totals>& after) {
  closed_ = true;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    take_latencies(i);
    traffic[i].delivered_payload = after[i].arrived - before[i].arrived;
    traffic[i].waiting_before = before[i].waiting();
    traffic[i].waiting_after = after[i].waiting();
  }
}

void Meter::fail(const Mishap& mishap) {
  const auto& d = mishap.delivery;
  if (d.done >= edge_) return later_mishaps_.push_back(mishap);
  const bool unnoticed = d.status == pcie::Status::no_answer && d.kind == fabric::DeliveryKind::arrived;
  auto& failure = failures_[{d.requester, d.status, unnoticed}];
  ++failure.count;
  failure.first = std::min(failure.first, d.done);
  const auto turn = std::ranges::upper_bound(turns_, d.done) - turns_.begin();
  auto& [count, earliest, whose] = failed_[{d.requester, d.target, d.status, d.op, d.spoofed, turn}];
  if (++count > 1 && d.done >= earliest.done) return;
  earliest = d;
  whose = mishap.entry;
}

void Meter::stage(const Staged& packet) {
  if (packet.moments.back() >= edge_) return later_stages_.push_back(packet);
  if (packet.moments.back() >= begin_) record_packet(traffic[packet.entry].stages, packet.moments);
}

void Meter::map_requester(fabric::NodeId requester, Bytes max_read_request) {
  if (reading_.size() <= requester.value()) reading_.resize(requester.value() + 1u);
  reading_[requester.value()].request_bits = std::countr_zero(static_cast<std::uint64_t>(max_read_request.count()));
}

void Meter::reads(const fabric::Delivery& d) {
  if (d.requester.value() >= reading_.size()) return;
  auto& reading = reading_[d.requester.value()];
  if (reading.request_bits < 0) return;
  const auto requests = ((d.bytes.count() - 1) >> reading.request_bits) + 1;
  const auto held = ((d.done - d.ready).count() >> 10) * requests;
  if (d.done >= edge_)  // told ahead of time, perhaps of a window that has not begun
    later_reads_.push_back({d.requester, d.done, held});
  else if (d.done >= begin_)
    reading.held += held;
}

Duration Meter::reading(fabric::NodeId requester) const {
  return requester.value() < reading_.size() ? Duration{reading_[requester.value()].held * 1024} : Duration{};
}

void Meter::offer_until(Instant until) {
  for (auto& offering : offers_)
    for (; offering.next.when < until; offering.next = offering.arrivals())
      count({.what = Happening::What::offered,
             .entry = offering.entry,
             .when = offering.next.when,
             .packets = offering.next.packets,
             .payload = offering.next.payload});
}

void Meter::frame(const device::FrameArrival& arrival, BitRate rate) {
  if (closed_) return;
  const std::size_t entry = transport::stream_of(arrival.frame.handle);
  auto& [busy, size, to_last_bit, to_next, latest] = flow(entry).wire;
  if (arrival.frame.size != size) {
    size = arrival.frame.size;
    to_last_bit = (net::preamble + net::padded(size) + net::fcs) / rate;
    to_next = net::wire_size(size) / rate;
  }
  const Instant start = arrival.last_bit - to_last_bit;
  const Instant until = start + to_next;
  latest = {{{start, until}, latest[0]}};
  busy += std::max(until - std::max(start, begin_), Duration{0});
  happen({.what = Happening::What::offered,
          .entry = entry,
          .when = arrival.last_bit,
          .payload = payload_of(arrival.frame)});
}

Duration Meter::wire_busy(std::size_t entry, Instant now) const {
  if (entry >= flows_.size()) return {};
  Duration busy = flows_[entry].wire.busy;
  for (const auto& [start, until] : flows_[entry].wire.latest)
    busy -= std::max(until - std::max({start, begin_, now}), Duration{0});
  return busy;
}

void Meter::offered(std::size_t entry, Instant when, Bytes payload) {
  if (!closed_) happen({.what = Happening::What::offered, .entry = entry, .when = when, .payload = payload});
}

void Meter::done(std::size_t entry, Instant begin, Instant end, Bytes payload, Duration held) {
  if (closed_) return;
  happen(
      {.what = Happening::What::done, .entry = entry, .when = end, .begin = begin, .payload = payload, .held = held});
}

void Meter::on_packet(const nic::PacketRecord& packet) {
  if (closed_) return;
  const std::size_t entry = transport::stream_of(packet.handle);
  if (packet.lost || packet.spoilt)
    happen({.what = Happening::What::in_vain, .entry = entry, .when = packet.application});
  if (packet.lost) {  // with a leaf, bytes that did not arrive are counted as lost
    if (flow(entry).failing == Failing::ends_packets)
      happen({.what = Happening::What::lost, .entry = entry, .when = packet.application, .payload = packet.payload});
    return;
  }
  if (packet.spoilt)  // a bounced packet that came to its end with other bytes in it
    return happen(
        {.what = Happening::What::all_ones, .entry = entry, .when = packet.application, .payload = packet.payload});
  done(entry, packet.wire, packet.application, packet.payload);
  if (is_sampled(entry))
    stage({entry,
           {packet.wire, packet.parsed, packet.started, packet.memory, packet.visible, packet.interrupt,
            packet.application}});
}

void Meter::on_drop(std::uint64_t handle, nic::Drop why, Instant wire, Bytes payload) {
  if (closed_) return;
  happen({.what = Happening::What::dropped,
          .why = why,
          .entry = transport::stream_of(handle),
          .when = wire,
          .payload = payload});
}

Instant Meter::first_drop(std::size_t entry, nic::Drop why) const {
  const auto found = first_drops_.find({entry, why});
  return found == first_drops_.end() ? never : found->second;
}

void Meter::on_sent(const host_cpu::SentRecord& packet) {
  if (closed_) return;
  const auto entry = owners.of_queue(packet.nic, packet.queue);
  if (!entry) return;
  if (packet.lost) {
    if (flow(*entry).failing == Failing::ends_packets)
      happen({.what = Happening::What::all_ones, .entry = *entry, .when = packet.completed, .payload = packet.payload});
    return;
  }
  if (packet.spoilt)
    return happen(
        {.what = Happening::What::lost, .entry = *entry, .when = packet.completed, .payload = packet.payload});
  done(*entry, packet.posted, packet.completed, packet.payload);
  if (is_sampled(*entry))
    stage({*entry,
           {packet.posted, packet.doorbell, packet.started, packet.read, packet.visible, packet.interrupt,
            packet.completed}});
}

Bytes Meter::carried(std::size_t entry, const std::vector<Bytes>& accounts, PayloadOwners::Refused refused) const {
  std::vector<Bytes> arrived;
  for (const auto& flow : flows_) arrived.push_back(flow.totals.arrived);
  return owners.carried(entry, accounts, arrived, refused);
}

void Meter::deliver(const fabric::Delivery& d) {
  if (closed_ || d.kind == fabric::DeliveryKind::requested) return;
  if (d.kind == fabric::DeliveryKind::completed) reads(d);
  const bool failed = d.status != pcie::Status::success;
  const auto of = owners.entry_of_account(d.account);
  if (failed) fail({d, of});
  if (!of) return;
  const std::size_t entry = *of;
  const Flow& own = flow(entry);
  const bool read = d.kind == fabric::DeliveryKind::completed;
  // A staged copy continues after a failed write to host memory: it copies the old contents.
  const bool arrives = own.leaf == (read ? d.requester : d.target);
  if (failed && own.failing != Failing::ends_packets)
    happen({.what = read ? Happening::What::all_ones : Happening::What::lost,
            .entry = entry,
            .when = d.done,
            .payload = arrives ? d.missing : d.bytes,
            .ends = own.failing == Failing::ends_bytes && (arrives || !own.leaf)});
  if (!failed && owners.ends_with_delivery(d)) done(entry, d.ready, d.done, d.bytes);
}

}  // namespace peerpath::platform
