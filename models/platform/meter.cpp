#include "platform/meter.hpp"

#include <algorithm>

#include "devices/nic/cookie.hpp"
#include "peerpath/net/ethernet.hpp"
#include "peerpath/net/headers.hpp"
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

void Meter::offer(std::size_t entry, Instant when, std::int64_t packets, Bytes payload) {
  if (!inside(when)) return;
  traffic[entry].offered_packets += packets;
  traffic[entry].offered_payload += payload;
}

void Meter::frame(const device::FrameArrival& arrival, BitRate rate) {
  const std::size_t entry = transport::stream_of(arrival.frame.handle);
  if (wire_.size() <= entry) wire_.resize(entry + 1);
  auto& [busy, size, to_last_bit, to_next, latest] = wire_[entry];
  if (arrival.frame.size != size) {
    size = arrival.frame.size;
    to_last_bit = (net::preamble + net::padded(size) + net::fcs) / rate;
    to_next = net::wire_size(size) / rate;
  }
  const Instant start = arrival.last_bit - to_last_bit;
  const Instant until = start + to_next;
  latest = {{{start, until}, latest[0]}};
  busy += std::max(until - std::max(start, begin_), Duration{0});
  if (inside(arrival.last_bit)) offer(entry, arrival.last_bit, 1, payload_of(arrival.frame));
}

Duration Meter::wire_busy(std::size_t entry, Instant now) const {
  if (entry >= wire_.size()) return {};
  Duration busy = wire_[entry].busy;
  for (const auto& [start, until] : wire_[entry].latest)
    busy -= std::max(until - std::max({start, begin_, now}), Duration{0});
  return busy;
}

void Meter::done(std::size_t entry, Instant begin, Instant end, Bytes payload) {
  if (!inside(end)) return;
  auto& result = traffic[entry];
  ++result.delivered_packets;
  result.delivered_payload += payload;
  result.latency.record(end - begin);
  last_ = std::max(last_, end);
}

void Meter::on_packet(const nic::PacketRecord& packet) {
  const std::size_t entry = transport::stream_of(packet.handle);
  if (packet.lost || packet.spoilt) ended_in_vain(entry, packet.application);
  if (packet.lost) return;  // its bytes are counted as lost
  if (packet.spoilt) return spoilt(entry, packet.application, &observe::TrafficResult::all_ones, packet.payload);
  done(entry, packet.wire, packet.application, packet.payload);
}

void Meter::on_drop(std::uint64_t handle, nic::Drop why, Instant wire) {
  if (!inside(wire)) return;
  const std::size_t entry = transport::stream_of(handle);
  ++traffic[entry].dropped_packets;
  first_drops_.try_emplace({entry, why}, wire);
}

Instant Meter::first_drop(std::size_t entry, nic::Drop why) const {
  const auto found = first_drops_.find({entry, why});
  return found == first_drops_.end() ? never : found->second;
}

void Meter::on_sent(const host_cpu::SentRecord& packet) {
  if (packet.lost) return;
  const auto found = queues_.find({packet.nic, packet.queue});
  if (found == queues_.end()) return;
  if (packet.spoilt) return spoilt(found->second, packet.completed, &observe::TrafficResult::lost, packet.payload);
  done(found->second, packet.posted, packet.completed, packet.payload);
}

void Meter::ended_in_vain(std::size_t entry, Instant end) {
  if (!inside(end)) return;
  if (in_vain_.size() <= entry) in_vain_.resize(entry + 1);
  ++in_vain_[entry];
  last_ = std::max(last_, end);
}

/// A bounced packet that came to its end with other bytes in it.
void Meter::spoilt(std::size_t entry, Instant end, Bytes observe::TrafficResult::*bytes, Bytes payload) {
  if (!inside(end)) return;
  ++traffic[entry].failed_transfers;
  traffic[entry].*bytes += payload;
}

/// Whose payload a transaction moves.
std::optional<std::size_t> Meter::entry_of(const fabric::Delivery& d) const {
  if (const auto source = sources_.find({d.requester, d.channel}); source != sources_.end()) return source->second;
  if (const auto stream = stream_entry(d)) return stream;
  const auto nic = nics_.find(d.requester);
  return nic == nics_.end() ? std::nullopt : nic_entry(*nic->second, d);
}

/// Several entries may receive into one memory, or send from it: the packet or the queue tells them apart.
std::optional<std::size_t> Meter::nic_entry(const nic::PacketJournal& journal, const fabric::Delivery& d) const {
  const auto cookie = nic::Cookie::unpack(d.cookie);
  if (cookie.dma == nic::Dma::rx_data) return transport::stream_of(journal.at(nic::PacketIndex{cookie.value}).handle);
  const auto queue = queues_.find({d.requester, cookie.queue});
  return cookie.dma != nic::Dma::tx_data || queue == queues_.end() ? std::nullopt : std::optional{queue->second};
}

/// Of which entry a device does it by an engine of its own.
std::optional<std::size_t> Meter::stream_entry(const fabric::Delivery& d) const {
  if (streams_.empty() || sources_.contains({d.requester, d.channel})) return std::nullopt;
  const auto streams = streams_.find(d.requester);
  if (streams == streams_.end()) return std::nullopt;
  const auto entry = streams->second.entries.find(streams->second.device->stream_of(d));
  return entry == streams->second.entries.end() ? std::nullopt : std::optional{entry->second};
}

void Meter::deliver(const fabric::Delivery& d) {
  if (d.kind == fabric::DeliveryKind::requested) return;
  if (d.status != pcie::Status::success) return failed(d);
  if (d.purpose != pcie::Purpose::payload) return;
  if (const auto entry = stream_entry(d); entry && !streams_.at(d.requester).device->tells_of_transfers())
    done(*entry, d.ready, d.done, d.bytes);
}

void Meter::failed(const fabric::Delivery& d) {
  if (d.done >= end_) return;
  const bool unnoticed = d.status == pcie::Status::no_answer && d.kind == fabric::DeliveryKind::arrived;
  auto& failure = failures_[{d.requester, d.status, unnoticed}];
  ++failure.count;
  failure.first = std::min(failure.first, d.done);
  const auto entry = d.purpose == pcie::Purpose::payload ? entry_of(d) : std::nullopt;
  const auto turn = std::ranges::upper_bound(turns_, d.done) - turns_.begin();
  auto& [count, earliest, whose] = failed_[{d.requester, d.target, d.status, d.op, d.spoofed, turn}];
  if (++count == 1 || d.done < earliest.done) {
    earliest = d;
    whose = entry;
  }
  if (!entry || !inside(d.done)) return;
  auto& result = traffic[*entry];
  ++result.failed_transfers;
  (d.kind == fabric::DeliveryKind::completed ? result.all_ones : result.lost) += d.bytes;
}

}  // namespace peerpath::platform
