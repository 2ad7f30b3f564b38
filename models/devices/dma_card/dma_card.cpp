#include "devices/dma_card/dma_card.hpp"

#include <algorithm>

#include "devices/dma_card/engine.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/device/function_endpoint.hpp"

namespace peerpath::dma_card {
fabric::Endpoint fabric_endpoint(const device::DmaCardConfig& config, BitRate link_rate) {
  auto endpoint = device::endpoint_of(config.function, 2);
  endpoint.ecrc = config.ecrc;
  if (config.completion > Duration{0})
    endpoint.service[static_cast<std::size_t>(pcie::TlpClass::completion)] = {config.completion, link_rate};
  return endpoint;
}

DmaCard::DmaCard(const device::DmaCardConfig& config, fabric::NodeId self, std::vector<Stream> streams,
                 std::uint64_t seed)
    : config_{config}, self_{self}, slots_(static_cast<std::size_t>(config.outstanding)) {
  for (auto& stream : streams) {
    require(!stream.steps.empty() && !stream.sizes.empty(), "a stream must have steps and sizes");
    streams_.push_back({std::move(stream), Random{seed + streams_.size(), "dma_card"}});
  }
  for (std::size_t slot = slots_.size(); slot-- > 0;) free_.push_back(slot);
}

void DmaCard::start(device::Outbox& out) {
  while (start_next(Instant{}, out)) {}
}

bool DmaCard::start_next(Instant now, device::Outbox& out) {
  if (free_.empty()) return false;
  // The stream whose next transfer is offered first; of several, the one whose turn it is. Were they taken in turn
  // alone, each would wait for the slowest: the card's transfers leave in the order in which they were started.
  Instant first = never;
  std::size_t chosen = 0;
  for (std::size_t tried = 0; tried < streams_.size(); ++tried) {
    const auto place = (turn_ + tried) % streams_.size();
    const auto& progress = streams_[place];
    if (progress.stream.count > 0 && progress.next == progress.stream.count) continue;
    Instant offered = std::max(now, resume_);
    if (progress.stream.rate > BitRate{}) offered = std::max(offered, Instant{progress.offered / progress.stream.rate});
    if (offered >= first) continue;
    first = offered;
    chosen = place;
  }
  if (first == never) return false;
  turn_ = (chosen + 1) % streams_.size();
  const auto slot = free_.back();
  free_.pop_back();
  ++in_flight_;
  slots_[slot].stream = chosen;
  start_transfer(streams_[chosen], slot, first, out);
  return true;
}

void DmaCard::start_transfer(Progress& progress, std::size_t index, Instant offered, device::Outbox& out) {
  const auto& stream = progress.stream;
  auto& slot = slots_[index];
  const auto number = static_cast<std::size_t>(progress.next++);
  slot.step = stream.steps[number % stream.steps.size()];
  slot.size = stream.sizes[number % stream.sizes.size()];
  slot.address = next_address(progress, slot.size);
  slot.reading = slot.step == Step::read;
  slot.started = offered;
  progress.offered += slot.size;
  if (slot.reading) {
    read(index, offered, out);
    return;
  }
  submit(index, pcie::Operation::memory_write, issue_write(slot, offered), out);
  if (slot.step == Step::write_then_read && stream.interface == Interface::command) {
    slot.reading = true;
    read(index, offered, out);
  }
}

/// The engine fetches the whole transfer before its first TLP.
Instant DmaCard::issue_write(const Slot& slot, Instant at) {
  if (streams_[slot.stream].stream.interface == Interface::command) return at;
  if (write_free_ <= at) overlap_ = Duration{};
  const auto begin = std::max(at, write_free_);
  write_free_ = begin + write_occupancy(config_, slot.size);
  writing_.forget(at - host::longest_way);
  writing_.book(begin, write_free_);
  overlap_ += overlap(config_, slot.size);
  return write_free_;
}

bool DmaCard::has_room(Bytes size) {
  if (limits_.buffer == Bytes{}) return true;
  const auto lines = in_lines(size);
  const bool batched = comes_in_batches(config_, size);
  if (buffered_ > Bytes{} && buffered_ + lines > (batched ? limits_.batched_buffer : limits_.buffer)) return false;
  if (!batched || batch_ + lines <= limits_.batch) return true;
  if (buffered_ > limits_.left) return false;
  batch_ = Bytes{};
  return true;
}

void DmaCard::read(std::size_t index, Instant at, device::Outbox& out) {
  if (streams_[slots_[index].stream].stream.interface == Interface::command) {
    submit(index, pcie::Operation::memory_read, at, out);
    return;
  }
  slots_[index].read_from = at;
  waiting_.push_back(index);
  take_up_reads(at, out);
}

/// The engine works ahead of the tags, as far as the limits let it.
void DmaCard::take_up_reads(Instant at, device::Outbox& out) {
  while (!waiting_.empty() && has_room(slots_[waiting_.front()].size)) {
    const auto index = waiting_.front();
    const auto& slot = slots_[index];
    waiting_.pop_front();
    buffered_ += in_lines(slot.size);
    if (comes_in_batches(config_, slot.size)) batch_ += in_lines(slot.size);
    submit(index, pcie::Operation::memory_read, issue_read(slot, std::max(at, slot.read_from)), out);
  }
}

Instant DmaCard::issue_read(const Slot& slot, Instant at) {
  const auto begin = std::max(at, read_free_);
  read_free_ = begin + read_occupancy(config_, slot.address, slot.size);
  reading_.forget(at - host::longest_way);
  reading_.book(begin, read_free_);
  if (const auto share = read_share_of_write_bus(config_, slot.size); write_free_ > at && share > Duration{}) {
    const auto undone = std::min(overlap_, config_.command / 3);
    write_free_ += share + undone;
    overlap_ -= undone;
  }
  return begin + read_lead(config_, slot.size);
}

void DmaCard::submit(std::size_t index, pcie::Operation op, Instant ready, device::Outbox& out) {
  const auto& slot = slots_[index];
  const bool write = op == pcie::Operation::memory_write;
  fabric::Transaction transaction;
  transaction.cookie = static_cast<std::uint64_t>(slot.stream) << 32 | index;
  transaction.target = streams_[slot.stream].stream.target;
  transaction.op = op;
  transaction.address = slot.address;
  transaction.bytes = slot.size;
  transaction.ready = ready;
  transaction.notify_requester = !write || !slot.reading;
  out.submit(write || slot.step == Step::write_then_read ? write_channel : read_channel, transaction);
}

void DmaCard::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.requester != self_) return;
  const auto index = static_cast<std::size_t>(static_cast<std::uint32_t>(delivery.cookie));
  auto& slot = slots_[index];
  const bool dma = streams_[slot.stream].stream.interface == Interface::dma;
  const bool arrived = delivery.kind == fabric::DeliveryKind::arrived;
  if (arrived && slot.step == Step::write_then_read) {
    if (!dma || slot.reading) return;
    slot.reading = true;
    read(index, delivery.done + config_.turnaround, out);
    return;
  }
  const auto stored = !arrived && dma ? delivery.done + store_time(config_, slot.size) : delivery.done;
  if (slot.reading && dma) {
    buffered_ -= in_lines(slot.size);
    take_up_reads(delivery.done, out);
  }
  finish(index, delivery.done, stored);
  while (start_next(delivery.done, out)) {}
}

void DmaCard::finish(std::size_t index, Instant at, Instant done) {
  auto& slot = slots_[index];
  auto& progress = streams_[slot.stream];
  held_ += at - slot.started;
  if (++progress.done > progress.stream.warm_up) {
    ++counters_.transfers;
    counters_.bytes += slot.size;
    counters_.latency += done - slot.started;
    counters_.end = std::max(counters_.end, at);
  } else {
    counters_.begin = std::max(counters_.begin, at);
  }
  if (slots_.size() == 1) resume_ = done;  // nothing overlaps: the next one waits for this one to be stored
  free_.push_back(index);
  --in_flight_;
}

std::uint64_t DmaCard::next_address(Progress& progress, Bytes size) {
  const auto unit = in_lines(size);
  const auto places = std::max<std::int64_t>(1, progress.stream.window / unit);
  if (progress.stream.random) {
    const auto place = progress.random.below(static_cast<std::uint64_t>(places));
    return progress.stream.address + place * static_cast<std::uint64_t>(unit.count());
  }
  if (progress.place + unit > progress.stream.window) progress.place = Bytes{};
  const auto at = progress.place;
  progress.place += unit;
  return progress.stream.address + static_cast<std::uint64_t>(at.count());
}

}  // namespace peerpath::dma_card
