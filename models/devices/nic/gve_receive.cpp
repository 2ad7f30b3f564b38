#include "devices/nic/gve_receive.hpp"

#include <algorithm>
#include <utility>

namespace peerpath::nic::gve {

Receive::Receive(const Offer& offer, Host& host, QueueMemory& memory)
    : host_{host}, memory_{memory}, queues_(static_cast<std::size_t>(offer.queues)) {
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
  queue.producer = 0;
  queue.entries = config.buffer_entries;
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
  return handle;
}

void Receive::keep(std::uint64_t handle) {
  auto& frame = frames_[handle];
  if (!frame.open) return;
  frame.kept.assign(frame.bytes.begin(), frame.bytes.end());
  frame.bytes = frame.kept;
}

void Receive::clear() {
  frames_.clear();
  free_.clear();
}

void Receive::close(std::uint64_t handle) {
  auto& frame = frames_[handle];
  frame.open = false;
  frame.bytes = {};
  frame.kept = {};
  free_.push_back(handle);
}

void Receive::on_drop(std::uint64_t handle, Drop why, Instant, Bytes) {
  auto& drops = queues_[frames_[handle].queue.value()].drops;
  ++drops.dropped;
  if (why == Drop::no_buffer) ++drops.no_buffers;
  if (why == Drop::too_long) ++drops.too_long;
  close(handle);
}

pcie::Status Receive::read_descriptors(const Cookie& cookie, const fabric::Transaction& t) {
  auto& ring = memory_.queue(cookie.queue).buffers;
  std::vector<std::uint8_t> raw(static_cast<std::size_t>(t.bytes.count()));
  if (!host_.read(t.address, raw, t.purpose)) {
    ++dma_errors_;
    return pcie::Status::unsupported_request;
  }
  for (std::uint32_t i = 0; i < cookie.count; ++i) {
    Descriptor32 one;
    std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(i * one.size()), one.size(), one.begin());
    ring.at(cookie.value + i) = decode_buffer(one);
  }
  return pcie::Status::success;
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

pcie::Status Receive::write_data(const Cookie& cookie, const fabric::Transaction& t) {
  auto& frame = frames_[memory_.journal().at(PacketIndex{cookie.value}).handle];
  const auto size = static_cast<std::size_t>(t.bytes.count());
  const auto piece = frame.bytes.subspan(frame.at, size);
  frame.at += size;
  if (host_.write(t.address, piece, purpose_of(frame, t))) return pcie::Status::success;
  ++dma_errors_;
  frame.offload.write_failed = true;
  return pcie::Status::unsupported_request;
}

std::uint32_t Receive::write_completions(const Cookie& cookie, const fabric::Transaction& t, Instant now) {
  auto& journal = memory_.journal();
  const auto& ring = memory_.queue(cookie.queue).rx_completions;
  for (std::uint32_t i = 0; i < cookie.count; ++i) {
    const auto completion = ring.at(cookie.value + i);
    const auto raw = encode_rx_completion(completion, frames_[journal.at(completion.packet).handle].offload);
    if (!host_.publish(t.address + i * raw.size(), raw, rx_generation_at, t.purpose)) ++dma_errors_;
    if (completion.end_of_packet) journal.consumed(completion.packet, now);
  }
  return cookie.value + cookie.count;
}

}  // namespace peerpath::nic::gve
