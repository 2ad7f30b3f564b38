// What a proxy does at each connection of its round.
#include <algorithm>

#include "devices/gpunet_proxy/cores.hpp"

namespace peerpath::proxy {
namespace {

constexpr Bytes least_room{4096}, large{16384};  // validation/gpunet/proxy/inbound.cpp
constexpr int most_at_once = 15;                 // entries of one call: validation/gpunet/proxy/outbound.cpp
constexpr Duration at_once = std::chrono::microseconds{6};
constexpr Bytes doorbell_bytes{8};

/// What stands in host memory and goes out together, `most` at most; how many entries are gone with it.
Bytes gather(Lane& lane, Bytes most, int& gone) {
  Bytes taken{};
  while (!lane.out.empty() && taken < most && gone < most_at_once) {
    auto& first = lane.out.front();
    const auto some = std::min(first.size, most - taken);
    taken += some;
    first.size -= some;
    if (first.size > Bytes{0}) break;
    lane.out.pop_front();
    ++gone;
  }
  return taken;
}

Bytes available(const Lane& lane, Instant now) {
  Bytes sum{};
  for (const auto& piece : lane.wire) {
    if (piece.there > now) break;
    sum += piece.size;
  }
  return sum;
}

void take_from_wire(Lane& lane, Bytes size) {
  while (size > Bytes{0}) {
    auto& first = lane.wire.front();
    const auto some = std::min(first.size, size);
    first.size -= some;
    size -= some;
    if (first.size == Bytes{0}) lane.wire.pop_front();
  }
}

}  // namespace

Bytes Cores::send_some(Lane& lane, const device::SocketCosts& costs, Bytes size, Duration& time, Instant now,
                       device::Outbox& out) {
  const auto all = std::min(size, costs.buffer - lane.wire_used);
  if (all <= Bytes{0}) return Bytes{0};
  time = costs.send + all / costs.send_rate;
  for (Bytes done{}; done < all;) {
    const auto segment = std::min(costs.segment, all - done);
    done += segment;
    const auto taken_in = now + costs.send + done / costs.send_rate;
    const auto there = taken_in + costs.latency;
    lane.pass(lane.stamps.sent, segment, taken_in);
    lane.wire.push_back({segment, there});
    poke(&lane, false, there, out);
  }
  lane.wire_used += all;
  return all;
}

Bytes Cores::receive_some(Lane& lane, const device::SocketCosts& costs, Bytes size, Duration& time, Instant now,
                          device::Outbox& out) {
  const auto all = std::min(size, available(lane, now));
  if (all == Bytes{0}) return all;
  time = costs.receive + all / costs.receive_rate;
  take_from_wire(lane, all);
  at(now + time, out, [this, &lane, all](Instant then, auto& to) {
    lane.wire_used -= all;
    poke(&lane, true, then, to);
  });
  return all;
}

Cores::Done Cores::send(std::size_t number, Lane& lane, Instant now, device::Outbox& out) {
  auto& self = proxies_[number];
  const auto look = self.plan.config.look;
  if (lane.out.empty()) return {look, false};
  if (lane.wire_used >= self.costs.buffer) return ++self.counters.stalls, Done{look, false};
  int gone = 0;
  const auto all = gather(lane, self.costs.buffer - lane.wire_used, gone);
  lane.pass(lane.stamps.seen, all, now);
  Duration time{};
  send_some(lane, self.costs, all, time, now, out);
  time += self.plan.config.entry * std::max(gone - 1, 0);
  at(now + time, out, [&lane, all, gone](Instant, auto&) {
    lane.out_used -= all;
    lane.out_entries -= gone;
  });
  ++self.counters.sends;
  self.counters.sent_entries += gone;
  self.work(now, time);
  return {time, true};
}

Cores::Done Cores::receive(std::size_t number, Lane& lane, bool epoll, Instant now, device::Outbox& out) {
  auto& self = proxies_[number];
  const auto& config = self.plan.config;
  const Done nothing{epoll ? config.look : self.costs.empty, false};
  if (available(lane, now) == Bytes{0}) return nothing;
  if (now < lane.not_before) {
    poke(&lane, false, lane.not_before, out);
    return {config.look, false};
  }
  const auto room = std::min(config.ring - lane.in_used, Bytes{config.ring.count() / 4});
  if (lane.in_entries >= entries || room < least_room) return ++self.counters.stalls, Done{config.look, false};
  Duration time{};
  const auto all = receive_some(lane, self.costs, room, time, now, out);
  if (all >= large || (all > inline_bytes && lane.last != Instant{} && now - lane.last < at_once))
    lane.not_before = now + config.gather;
  lane.last = now + time;
  lane.in.push_back({all, now + time, all > inline_bytes});
  lane.in_used += all;
  ++lane.in_entries;
  lane.pass(lane.stamps.announced, all, now + time);
  if (epoll) time += 2 * self.costs.empty;  // to hear of it, and a call that says that this was all
  if (available(lane, now) > Bytes{0}) poke(&lane, false, now + time, out);
  ++self.counters.receives;
  self.work(now, time);
  return {time, true};
}

Cores::Done Cores::post(std::size_t number, std::size_t at_lane, Instant now, device::Outbox& out) {
  auto& self = proxies_[number];
  auto& lane = *lanes_[at_lane];
  const auto& config = self.plan.config;
  if (lane.out.empty()) return {config.look, false};
  // What is sent must fit into the peer's ring.
  const auto room = config.ring - std::max(lane.wire_used, lane.in_used);
  if (room < std::min(lane.out.front().size, config.rdma.segment)) {
    ++self.counters.stalls;
    poke(&lane, true, now + std::chrono::microseconds{1}, out);
    return {config.look, false};
  }
  int gone = 0;
  const auto all = gather(lane, std::min(room, config.rdma.segment), gone);
  lane.pass(lane.stamps.seen, all, now);
  lane.out_entries -= gone;
  lane.wire_used += all;
  lane.in_used += all;
  lane.requests.push_back(all);
  const auto time = config.rdma.post + (way_.bounce ? config.rdma.copy : Duration{});
  out.submit(fabric::ChannelIndex{1}, {.cookie = at_lane,
                                       .target = self.bell->nic,
                                       .purpose = pcie::Purpose::doorbell,
                                       .notify_target = true,
                                       .address = self.bell->address,
                                       .bytes = doorbell_bytes,
                                       .ready = now + time});
  lane.pass(lane.stamps.sent, all, now + time);
  ++self.counters.doorbells;
  self.counters.sent_entries += gone;
  self.work(now, time);
  if (!lane.out.empty()) poke(&lane, true, now + time, out);
  return {time, true};
}

Cores::Done Cores::complete(std::size_t number, Lane& lane, Instant now) {
  auto& self = proxies_[number];
  const auto& config = self.plan.config;
  if (lane.landed.empty()) return {config.look, false};
  const auto all = lane.landed.front();
  lane.landed.pop_front();
  const auto time = config.rdma.completion + (way_.bounce ? config.rdma.copy : Duration{});
  lane.in.push_back({all, now + time, all > inline_bytes});
  ++lane.in_entries;
  lane.pass(lane.stamps.announced, all, now + time);
  ++self.counters.completions;
  self.work(now, time);
  return {time, true};
}

}  // namespace peerpath::proxy
