#include "devices/nic/gve_receive.hpp"

#include <algorithm>
#include <utility>

namespace peerpath::nic::gve {

Receive::Receive(const Offer& offer, Issuer& issuer, QueueMemory& memory)
    : issuer_{issuer}, memory_{memory}, queues_(static_cast<std::size_t>(offer.queues)) {
  memory.journal().set_sink(this);
}

void Receive::create(const RxQueueConfig& config) {
  auto& rings = memory_.queue(config.queue);
  memory_.resize(config.queue,
                 {config.buffer_entries, config.completion_entries, rings.tx.size(), rings.tx_completions.size()});
  rings.places.buffers.address = config.buffer_ring;
  rings.places.rx_completions.address = config.completion_ring;
  rings.rx_shape = RxShape{Bytes{config.buffer_size}, Bytes{config.header_buffer_size}};
  auto& queue = queues_[config.queue.value()];
  ++queue.life;
  queue.producer = 0;
  queue.entries = config.buffer_entries;
}

void Receive::destroy(QueueIndex index, Instant now) {
  ++queues_[index.value()].life;
  for (std::size_t handle = 0; handle < frames_.size(); ++handle) {
    auto& frame = frames_[handle];
    if (!frame.open || frame.queue != index || !frame.packet || std::exchange(frame.completed, true)) continue;
    memory_.journal().consumed(*frame.packet, now);
  }
}

std::uint32_t Receive::producer(QueueIndex index, std::uint32_t tail) {
  auto& queue = queues_[index.value()];
  queue.producer += (tail - queue.producer) & (queue.entries - 1);
  return queue.producer;
}

std::uint64_t Receive::open(std::span<const std::uint8_t> bytes, const net::ParsedFrame& parsed, QueueIndex queue,
                            const RxOffload& offload) {
  if (free_.empty()) {
    frames_.emplace_back();
    free_.reserve(frames_.size());  // giving a place back must not fail
    free_.push_back(frames_.size() - 1);
  }
  const auto handle = free_.back();
  free_.pop_back();
  auto& frame = frames_[handle];
  frame.bytes = bytes;
  frame.at = 0;
  frame.parsed = parsed;
  frame.noted = false;
  frame.queue = queue;
  frame.offload = offload;
  frame.open = true;
  frame.packet.reset();
  frame.completed = false;
  frame.failed = never;
  return handle;
}

void Receive::keep(std::uint64_t handle) {
  auto& frame = frames_[handle];
  if (!frame.open) return;
  const auto bytes = std::exchange(frame.bytes, {});
  if (frame.packet) return;  // it is written
  frame.kept = pool_.take(bytes.size());
  std::ranges::copy(bytes, frame.kept.begin());
  frame.bytes = std::span{frame.kept}.first(bytes.size());
}

void Receive::clear() {
  frames_.clear();
  free_.clear();
}

void Receive::close(std::uint64_t handle) {
  auto& frame = frames_[handle];
  frame.open = false;
  frame.bytes = {};
  pool_.give_back(std::exchange(frame.kept, {}));
  free_.push_back(handle);
}

void Receive::on_drop(std::uint64_t handle, Drop why, Instant, Bytes) {
  auto& drops = queues_[frames_[handle].queue.value()].drops;
  ++drops.dropped;
  if (why == Drop::no_buffer) ++drops.no_buffers;
  if (why == Drop::too_long) ++drops.too_long;
  close(handle);
}

void Receive::submit(const Cookie& cookie, const fabric::Transaction& t, Instant now) {
  const Continuation then{Continuation::Part::datapath, cookie.queue, queues_[cookie.queue.value()].life, 0, 0, t};
  if (cookie.dma == Dma::rx_data) return write_data(then, cookie, t);
  if (cookie.dma == Dma::rx_completions) return write_completions(then, cookie, t, now);
  issuer_.read(descriptor_channel, then, t.address, static_cast<std::size_t>(t.bytes.count()), t.purpose, t.ready);
}

void Receive::descriptors_read(const Continuation& then, std::span<const std::uint8_t> data) {
  const auto cookie = Cookie::unpack(then.asked.cookie);
  auto& ring = memory_.queue(then.queue).buffers;
  for (std::uint32_t i = 0; i < cookie.count; ++i) {
    Descriptor32 one;
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(i * one.size()), one.size(), one.begin());
    ring.at(cookie.value + i) = decode_buffer(one);
  }
}

void Receive::write_failed(const Continuation& then, Instant done) {
  const PacketIndex packet{Cookie::unpack(then.asked.cookie).value};
  auto& frame = frames_[memory_.journal().at(packet).handle];
  frame.failed = std::min(frame.failed, done);
}

/// What the ledger calls a write of the datapath: only here it is known what TCP has sent before.
pcie::Purpose Receive::purpose_of(Frame& frame, const fabric::Transaction& t) {
  if (!std::exchange(frame.noted, true)) {
    if ((frame.parsed.tcp_flags & net::tcp_syn) != 0) before_.opened(frame.parsed);
    const bool again = before_.again(frame.parsed, frame.parsed.payload.count());
    frame.payload = again ? pcie::Purpose::retransmission : pcie::Purpose::payload;
  }
  return t.purpose == pcie::Purpose::payload ? frame.payload : t.purpose;
}

void Receive::write_data(const Continuation& then, const Cookie& cookie, const fabric::Transaction& t) {
  const PacketIndex packet{cookie.value};
  auto& frame = frames_[memory_.journal().at(packet).handle];
  frame.packet = packet;
  const auto size = static_cast<std::size_t>(t.bytes.count());
  const auto piece = frame.bytes.subspan(frame.at, size);
  frame.at += size;
  issuer_.write(write_channel, then, t.address, {.bytes = piece}, purpose_of(frame, t), t.ready);
}

/// Each entry is a write; the datapath's transaction is the last one.
void Receive::write_completions(const Continuation& then, const Cookie& cookie, const fabric::Transaction& t,
                                Instant now) {
  auto& journal = memory_.journal();
  const auto& ring = memory_.queue(cookie.queue).rx_completions;
  for (std::uint32_t i = 0; i < cookie.count; ++i) {
    const auto completion = ring.at(cookie.value + i);
    auto& frame = frames_[journal.at(completion.packet).handle];
    frame.offload.write_failed = frame.failed <= now;
    const auto raw = encode_rx_completion(completion, frame.offload);
    issuer_.write(write_channel, i + 1 < cookie.count ? Continuation{} : then, t.address + i * raw.size(),
                  {.bytes = raw, .flag_at = rx_generation_at}, t.purpose, t.ready);
    if (!completion.end_of_packet) continue;
    frame.completed = true;
    journal.consumed(completion.packet, now);
  }
}

}  // namespace peerpath::nic::gve
