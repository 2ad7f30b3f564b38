#include "devices/nic/tx_queue.hpp"

namespace peerpath::nic {
namespace {

constexpr std::int64_t usual_slots = 4;  ///< general context, TSO context, header, payload

DescriptorFetch::Role transmit_fetch_role(Context& nic, QueueIndex index) {
  auto& rings = nic.memory.queue(index);
  return {Dma::tx_descriptors, nic.memory.sizes().tx * usual_slots, rings.places.tx, rings.tx.size(), usual_slots};
}

CompletionWriter::Role transmit_completion_role(Context& nic, QueueIndex index) {
  auto& rings = nic.memory.queue(index);
  const auto& places = rings.places;
  return {Dma::tx_completions,
          nic.memory.sizes().tx_completion,
          places.tx_completions,
          places.tx_interrupt,
          rings.tx_completions.size(),
          tx_vector(index),
          timer_of(index, Timer::tx_writeback),
          timer_of(index, Timer::tx_interrupt)};
}

}  // namespace

TxQueue::TxQueue(Context& nic, QueueIndex index)
    : nic_{&nic},
      index_{index},
      rings_{&nic.memory.queue(index)},
      fetch_{nic, index, transmit_fetch_role(nic, index)},
      completions_{nic, index, transmit_completion_role(nic, index)} {}

void TxQueue::start() {
  first_ = freed_ = 0;
  fetch_.restart(transmit_fetch_role(*nic_, index_), epoch_);
  completions_.restart(transmit_completion_role(*nic_, index_), epoch_);
  running_ = true;
}

Bytes TxQueue::stop() {
  Bytes held{};
  for (; !packets_.empty(); packets_.pop()) held += held_bytes(packets_.front().ready.descriptor);
  running_ = false;
  epoch_ = static_cast<std::uint8_t>((epoch_ + 1) & 15);
  fetch_.restart(transmit_fetch_role(*nic_, index_), epoch_);
  completions_.restart(transmit_completion_role(*nic_, index_), epoch_);
  return held;
}

void TxQueue::packets_posted(std::uint32_t producer, Instant now, device::Outbox& out) {
  if (running_) fetch_.posted(producer, now, out);
}

const TxDescriptor* TxQueue::next() const {
  return running_ && fetch_.available() > 0 ? &rings_->tx.at(fetch_.next()) : nullptr;
}

void TxQueue::start_next(Instant now, device::Outbox& out) {
  const auto& d = rings_->tx.at(fetch_.next());
  const Cookie cookie{Dma::tx_data, epoch_, index_, 0, first_ + static_cast<std::uint32_t>(packets_.size())};
  packets_.push({{d, rings_->tx_headers.at(fetch_.next()), false, now}, d.payload_length > 0 ? 2 : 1});
  const auto headers = d.payload_length > 0 ? pcie::Purpose::header : pcie::Purpose::control;
  out.submit(data_read_channel, read_from(d.header, Bytes{d.header_length}, headers, cookie, now));
  if (d.payload_length > 0)
    out.submit(data_read_channel, read_from(d.payload, Bytes{d.payload_length}, pcie::Purpose::payload, cookie, now));
  fetch_.consume();
  fetch_.fetch(now, out);
}

void TxQueue::refuse_next(Instant now, device::Outbox& out) {
  ++nic_->counters.bad_descriptors;
  TxDescriptor nothing;
  nothing.tag = rings_->tx.at(fetch_.next()).tag;
  packets_.push({{nothing, {}, true, now}, 0});
  fetch_.consume();
  fetch_.fetch(now, out);
}

void TxQueue::data_read(const Cookie& cookie, pcie::Status status) {
  const std::uint32_t place = cookie.value - first_;
  if (cookie.epoch != epoch_ || place >= packets_.size()) return;
  auto& packet = packets_[place];
  if (packet.reads > 0) --packet.reads;
  if (status == pcie::Status::success) return;
  ++nic_->counters.dma_errors;
  packet.ready.failed = true;
}

void TxQueue::complete_front(Instant now, device::Outbox& out) {
  const Ready& packet = packets_.front().ready;
  TxCompletion done;
  done.queue = index_;
  done.tag = packet.descriptor.tag;
  done.head = ++freed_;
  done.lost = packet.failed;
  done.started = packet.started;
  done.read = now;
  packets_.pop();
  ++first_;
  rings_->tx_completions.write(completions_.next(), done);
  completions_.add(now, now, out);
}

}  // namespace peerpath::nic
