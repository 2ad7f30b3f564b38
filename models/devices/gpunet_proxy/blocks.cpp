#include "devices/gpunet_proxy/blocks.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::proxy {
namespace {

constexpr fabric::ChannelIndex channel{1};
constexpr Bytes step_bytes{2048};  // of one transaction: 4 units of 16 B for each lane of a warp
constexpr Bytes request_bytes{64};
constexpr Bytes most_piece{131072};  // validation/gpunet: of the ring in one entry

Bytes part(Bytes ring, std::int64_t of) { return Bytes{ring.count() / of}; }

}  // namespace

Blocks::Blocks(const device::GpunetProxyConfig& config, Duration read_latency, Way way, const Places& places,
               std::vector<Lane*> lanes, std::vector<BlockPlan> plans)
    : config_{config}, read_latency_{read_latency}, way_{way}, places_{places}, lanes_{std::move(lanes)} {
  for (auto& plan : plans) blocks_.push_back({.plan = std::move(plan)});
}

void Blocks::start(device::Outbox& out) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) go_on(b, Instant{}, out);
}

Duration Blocks::call_of(const Block& block) const {
  const bool streams = block.plan.job == Job::send || block.plan.job == Job::take;
  return streams && config_.block.stream_call > Duration{0} ? config_.block.stream_call : config_.block.call;
}

void Blocks::wake(std::size_t b, State state, Instant when, device::Outbox& out) {
  blocks_[b].state = state;
  out.wake_at(device::TimerId{static_cast<std::uint16_t>(b)}, when);
}

/// The next call of the block's job.
void Blocks::go_on(std::size_t b, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  const auto& plan = self.plan;
  const auto size = plan.sizes[self.round % plan.sizes.size()];
  const auto work = [&](int next) {
    self.step = next;
    wake(b, State::ready, now + plan.work, out);
  };
  switch (plan.job) {
    case Job::echo:
      if (self.step == 0) return self.step = 1, receive(b, plan.in, Bytes{0}, now, out);
      self.step = 0;
      return send(b, plan.out, self.piece, now, out);
    case Job::ping:
      if (self.step == 0) {
        self.step = 1;
        plan.out->track->begin(size, now);
        return send(b, plan.out, size, now, out);
      }
      self.step = 0;
      ++self.round;
      return receive(b, plan.in, size, now, out);
    case Job::send:
      if (self.step == 0 && plan.work > Duration{0}) return work(1);
      self.step = 0;
      ++self.round;
      plan.out->track->begin(size, now);
      return send(b, plan.out, size, now, out);
    case Job::take:
      ++self.round;
      return receive(b, plan.in, size, now, out);
    case Job::compare:
      if (self.step == 0) return self.step = 1, receive(b, plan.in, size, now, out);
      if (self.step == 1) return self.step = 2, send(b, plan.store_out, plan.answer, now, out);
      if (self.step == 2) return self.step = 3, receive(b, plan.store_in, size, now, out);
      if (self.step == 3) return work(4);
      self.step = 0;
      ++self.round;
      return send(b, plan.out, plan.answer, now, out);
  }
}

// ------------------------------------------------------------------------------------------------ receiving

/// `size` 0: what is there.
void Blocks::receive(std::size_t b, Lane* lane, Bytes size, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  self.lane = lane;
  self.lane_number = static_cast<std::size_t>(std::ranges::find(lanes_, lane) - lanes_.begin());
  self.left = size;
  look(b, now, out);
}

void Blocks::ask(std::size_t b, Bytes size, Instant when, device::Outbox& out) {
  ++counters_.polls;
  blocks_[b].asked = when;
  out.submit(channel, {.cookie = b,
                       .target = places_.host,
                       .op = pcie::Operation::memory_read,
                       .purpose = pcie::Purpose::control,
                       .notify_requester = true,
                       .address = places_.words + b * static_cast<std::uint64_t>(entry_bytes.count()),
                       .bytes = size,
                       .ready = when});
}

void Blocks::look(std::size_t b, Instant when, device::Outbox& out) {
  blocks_[b].state = State::looking;
  if (!way_.by_gpu) return ask(b, entry_bytes, when, out);
  wake(b, State::looking, when + config_.block.local_poll, out);
}

/// What a look found that was sampled then.
void Blocks::looked(std::size_t b, Instant sampled, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  auto& lane = *self.lane;
  if (lane.in.empty() || lane.in.front().there > sampled) return look(b, now, out);
  const auto there = lane.in.front().size;
  self.piece = self.left > Bytes{0} ? std::min(self.left, there) : there;
  self.issued = self.moved = Bytes{0};
  lane.pass(lane.stamps.found, self.piece, now);
  if (!lane.in.front().in_ring && !way_.by_gpu) return wake(b, State::got, now + call_of(self), out);
  if (local()) return wake(b, State::got, now + self.piece / config_.block.local_rate + call_of(self), out);
  self.state = State::loading;
  load(b, now, out);
}

void Blocks::load(std::size_t b, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  const auto step = std::min(step_bytes, std::max(part(config_.block.in_flight, 4), Bytes{64}));
  while (self.issued < self.piece && self.issued - self.moved < config_.block.in_flight) {
    const auto size = std::min(step, self.piece - self.issued);
    out.submit(channel, {.cookie = b,
                         .target = places_.host,
                         .op = pcie::Operation::memory_read,
                         .purpose = pcie::Purpose::payload,
                         .notify_requester = true,
                         .address = places_.rings + static_cast<std::uint64_t>(self.issued.count()),
                         .bytes = size,
                         .ready = now});
    self.issued += size;
  }
}

void Blocks::received(std::size_t b, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  auto& lane = *self.lane;
  auto& first = lane.in.front();
  first.size -= self.piece;
  lane.untold.bytes += self.piece;
  if (first.size == Bytes{0}) {
    lane.in.pop_front();
    ++lane.untold.entries;
    ++counters_.pieces;
  }
  if (lane.untold.bytes >= part(config_.ring, 4) || lane.untold.entries >= entries / 4) {
    if (way_.by_gpu) {  // nobody else has to know
      lane.in_used -= lane.untold.bytes;
      lane.in_entries -= lane.untold.entries;
    } else {
      lane.telling.push_back(lane.untold);
      out.submit(channel, {.cookie = Word{Word::What::taken, self.lane_number}.pack(),
                           .target = places_.host,
                           .purpose = pcie::Purpose::control,
                           .notify_target = true,
                           .address = places_.words,
                           .bytes = word_bytes,
                           .ready = now});
    }
    lane.untold = {};
  }
  lane.pass(lane.stamps.taken, self.piece, now);
  if (self.left == Bytes{0}) return go_on(b, now, out);
  self.left -= self.piece;
  if (self.left > Bytes{0}) return look(b, now, out);
  go_on(b, now, out);
}

// ------------------------------------------------------------------------------------------------ sending

void Blocks::send(std::size_t b, Lane* lane, Bytes size, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  self.lane = lane;
  self.lane_number = static_cast<std::size_t>(std::ranges::find(lanes_, lane) - lanes_.begin());
  self.left = size;
  next_piece(b, now + call_of(self), out);
}

void Blocks::next_piece(std::size_t b, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  auto& lane = *self.lane;
  auto most = std::min(part(config_.ring, 8), most_piece);
  if (way_.by_gpu) most = std::min(most, config_.rdma.segment);
  self.piece = std::min(self.left, most);
  const bool peer_full = way_.by_gpu && config_.ring - lane.in_used < self.piece;
  if (lane.out_entries >= entries || config_.ring - lane.out_used < self.piece || peer_full) {
    self.state = State::room;
    if (!way_.by_gpu) return ask(b, word_bytes, now, out);
    return wake(b, State::room, now + config_.block.local_poll, out);
  }
  lane.out_used += self.piece;
  ++lane.out_entries;
  self.issued = self.moved = Bytes{0};
  if (self.piece <= inline_bytes && !way_.by_gpu) return publish(b, now, out);
  if (local()) return wake(b, State::released, now + self.piece / config_.block.local_rate, out);
  self.state = State::storing;
  store(b, now, out);
}

/// All at once: they are posted. The last of them tells when it has arrived.
void Blocks::store(std::size_t b, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  while (self.issued < self.piece) {
    const auto size = std::min(step_bytes, self.piece - self.issued);
    self.issued += size;
    out.submit(channel, {.cookie = b,
                         .target = places_.host,
                         .purpose = pcie::Purpose::payload,
                         .notify_requester = self.issued == self.piece,
                         .address = places_.rings + static_cast<std::uint64_t>((self.issued - size).count()),
                         .bytes = size,
                         .ready = now});
  }
}

/// The entry, or the work request and its doorbell.
void Blocks::publish(std::size_t b, Instant now, device::Outbox& out) {
  auto& self = blocks_[b];
  auto& lane = *self.lane;
  if (way_.by_gpu) {
    const auto rung = now + config_.block.doorbell;
    lane.requests.push_back(self.piece);
    lane.wire_used += self.piece;
    lane.in_used += self.piece;
    out.submit(channel, {.cookie = self.lane_number,
                         .target = places_.nic,
                         .purpose = pcie::Purpose::doorbell,
                         .notify_target = true,
                         .address = places_.bell,
                         .bytes = request_bytes,
                         .ready = rung});
    lane.pass(lane.stamps.stored, self.piece, rung);
    lane.pass(lane.stamps.seen, self.piece, rung);
    lane.pass(lane.stamps.sent, self.piece, rung);
    self.left -= self.piece;
    if (self.left > Bytes{0}) return next_piece(b, rung, out);
    return wake(b, State::ready, rung, out);
  }
  lane.storing.push_back(self.piece);
  const bool in_entry = self.piece <= inline_bytes && !way_.rdma;
  out.submit(channel, {.cookie = Word{Word::What::entry, self.lane_number}.pack(),
                       .target = places_.host,
                       .purpose = pcie::Purpose::descriptor,
                       .notify_target = true,
                       .address = places_.words + b * static_cast<std::uint64_t>(entry_bytes.count()),
                       .bytes = in_entry ? entry_bytes : word_bytes,
                       .ready = now});
  self.left -= self.piece;
  if (self.left > Bytes{0}) return next_piece(b, now, out);
  self.state = State::checking;
  ask(b, word_bytes, now, out);
}

// ------------------------------------------------------------------------------------------------ what happens

void Blocks::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  const std::size_t b = timer.value();
  switch (blocks_[b].state) {
    case State::looking:
      return looked(b, now, now, out);
    case State::seen:
      return looked(b, blocks_[b].sampled, now, out);
    case State::got:
      return received(b, now, out);
    case State::room:
      return next_piece(b, now, out);
    case State::released:
      return publish(b, now, out);
    default:
      return go_on(b, now, out);
  }
}

void Blocks::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.purpose == pcie::Purpose::completion_entry) {  // a NIC's, in the GPU's memory
    const auto word = Word::unpack(delivery.cookie);
    auto& lane = *lanes_[word.lane];
    auto& from = word.what == Word::What::completion ? lane.landing : lane.acked;
    const auto size = from.front();
    from.pop_front();
    if (word.what == Word::What::completion) {
      lane.in.push_back({size, delivery.done});
      ++lane.in_entries;
      lane.pass(lane.stamps.announced, size, delivery.done);
    } else {
      lane.out_used -= size;
      lane.wire_used -= size;
      --lane.out_entries;
    }
    return;
  }
  const bool stored = delivery.kind == fabric::DeliveryKind::arrived;
  if (stored && delivery.purpose != pcie::Purpose::payload) return;  // a word for the cores
  const auto b = static_cast<std::size_t>(delivery.cookie);
  require(b < blocks_.size(), "a completion of an unknown access arrived at a block");
  auto& self = blocks_[b];
  if (stored) return wake(b, State::released, delivery.done + config_.block.release, out);
  const auto now = delivery.done + read_latency_ + config_.block.poll;
  if (self.state == State::loading) {
    self.moved += delivery.bytes;
    if (self.moved < self.piece) return load(b, delivery.done, out);
    return wake(b, State::got, delivery.done + read_latency_ + call_of(self), out);
  }
  // Host memory was read on half of the way; the block goes on when it knows.
  self.sampled = self.asked + (delivery.done - self.asked) / 2;
  wake(b,
       self.state == State::checking ? State::ready
       : self.state == State::room   ? State::room
                                     : State::seen,
       now, out);
}

}  // namespace peerpath::proxy
