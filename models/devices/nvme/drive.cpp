#include "devices/nvme/drive.hpp"

#include <algorithm>

#include "devices/nvme/prp.hpp"
#include "peerpath/device/function_endpoint.hpp"

namespace peerpath::nvme {
namespace {

constexpr device::TimerId timer{0};
constexpr int index_bits = 16;  // of the first index of a fetch in its cookie

/// Each command of a queue has a page of its own for its PRP list.
std::uint64_t list_address(const QueuePair& pair, std::uint16_t command) {
  return pair.prp_address + static_cast<std::uint64_t>(page.count()) * command;
}

std::uint64_t entry_address(std::uint64_t base, Bytes entry, std::uint32_t index) {
  return base + static_cast<std::uint64_t>(entry.count()) * index;
}

}  // namespace

fabric::Endpoint fabric_endpoint(const device::NvmeConfig& config) {
  return device::endpoint_of(config.function, drive_channels);
}

Drive::Drive(const device::NvmeConfig& config, fabric::NodeId self, fabric::NodeId host, std::vector<QueuePair*> pairs)
    : config_{config}, self_{self}, host_{host}, medium_{config} {
  for (auto* pair : pairs)
    queues_.push_back({pair, Ring{pair->entries()}, Ring{pair->entries()},
                       std::vector<Active>(static_cast<std::size_t>(pair->depth()))});
}

void Drive::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  const bool failed = delivery.status != pcie::Status::success;
  if (delivery.requester != self_) {
    if (delivery.purpose != pcie::Purpose::doorbell || failed || fatal_) return;
    auto& queue = queues_[cookie.queue];
    if (cookie.work == Work::completion_doorbell) return queue.completions.set_head(cookie.value);
    queue.submissions.set_tail(cookie.value);
    return fetch(cookie.queue, delivery.done, out);
  }
  if (fatal_) return;
  auto& queue = queues_[cookie.queue];
  if (cookie.work == Work::fetch) {
    if (failed) {
      fatal_ = true;
      return;
    }
    auto index = cookie.value & ((1U << index_bits) - 1);
    for (auto count = cookie.value >> index_bits; count > 0; --count, index = queue.submissions.next(index))
      decode(cookie.queue, queue.pair->submissions[index], delivery.done, out);
    return;
  }
  if (delivery.op == pcie::Operation::memory_write) {
    buffered_ -= delivery.bytes;
    return admit(delivery.done, out);
  }
  auto& active = queue.active[cookie.value];
  active.failed = active.failed || failed;
  if (cookie.work == Work::data) return landed(cookie.queue, active, delivery.bytes, delivery.done, out);
  active.failed ? complete(cookie.queue, active, delivery.done, out) : begin(cookie.queue, active, delivery.done, out);
}

void Drive::on_wake(device::TimerId, Instant now, device::Outbox& out) {
  while (!plans_.empty() && std::get<Instant>(plans_.top()) <= now) {
    const auto [when, order, step, number, command] = plans_.top();
    plans_.pop();
    if (fatal_) continue;
    auto& queue = queues_[number];
    if (step == Step::data) write_page(number, queue.active[command], now, out);
    if (step == Step::keep) complete(number, queue.active[command], now, out);
    if (step == Step::interrupt && queue.interrupt_at == when) interrupt(number, now, out);
  }
  if (!plans_.empty()) out.wake_at(timer, std::get<Instant>(plans_.top()));
}

void Drive::plan(Instant when, Step step, std::uint32_t queue, std::uint16_t command, device::Outbox& out) {
  plans_.push({when, planned_++, step, queue, command});
  out.wake_at(timer, std::get<Instant>(plans_.top()));
}

/// All that the doorbell tells of, a read for each batch and for what lies behind the end of the ring.
void Drive::fetch(std::uint32_t number, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  while (!queue.submissions.empty()) {
    const auto first = queue.submissions.head();
    const int count = std::min(queue.submissions.contiguous(), config_.fetch_batch);
    queue.submissions.pop(count);
    ++counters_.fetches;
    read({number, Work::fetch, static_cast<std::uint32_t>(count) << index_bits | first}, host_,
         entry_address(queue.pair->sq_address, submission_entry, first), submission_entry * count, now, out);
  }
}

void Drive::decode(std::uint32_t number, const Command& command, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  ++counters_.fetched;
  ++in_flight_;
  auto& active = queue.active[command.id];
  active = {.command = command};
  if (command.opcode == Opcode::write) return use_medium(number, active, now, out);
  full_.emplace_back(number, command.id);
  admit(now, out);
}

/// NVMe Reads have their turns at the medium as soon as their data have room, first come first.
void Drive::admit(Instant now, device::Outbox& out) {
  while (!full_.empty()) {
    const auto [number, id] = full_.front();
    auto& active = queues_[number].active[id];
    if (buffered_ > Bytes{} && buffered_ + active.command.size > config_.buffer) return;
    full_.pop_front();
    buffered_ += active.command.size;
    active.turn = medium_.take(Opcode::read, active.command.size, now);
    use_medium(number, active, now, out);
  }
}

void Drive::use_medium(std::uint32_t number, Active& active, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  const auto& command = active.command;
  const auto list = prp_list(command.address, command.size);
  if (list == Bytes{}) return begin(number, active, now, out);
  ++counters_.prp_lists;
  read({number, Work::prp_list, command.id}, host_, list_address(*queue.pair, command.id), list, now, out);
}

/// The controller knows all pages of the command.
void Drive::begin(std::uint32_t number, Active& active, Instant now, device::Outbox& out) {
  const auto& command = active.command;
  if (command.opcode == Opcode::read) {
    const auto first = active.turn.at(piece(command.address, command.size, Bytes{}));
    return plan(std::max(now, first), Step::data, number, command.id, out);
  }
  const auto target = queues_[number].pair->target;
  while (active.moved < command.size) {
    const auto size = piece(command.address, command.size, active.moved);
    read({number, Work::data, command.id}, target, command.address + static_cast<std::uint64_t>(active.moved.count()),
         size, now, out);
    active.moved += size;
  }
}

/// A page of data is there from the medium.
void Drive::write_page(std::uint32_t number, Active& active, Instant now, device::Outbox& out) {
  const auto& command = active.command;
  const auto size = piece(command.address, command.size, active.moved);
  write({number, Work::data, command.id}, pcie::Purpose::payload, queues_[number].pair->target,
        command.address + static_cast<std::uint64_t>(active.moved.count()), size, false, now, out);
  active.moved += size;
  if (active.moved == command.size) return complete(number, active, now, out);
  const auto next = active.turn.at(active.moved + piece(command.address, command.size, active.moved));
  plan(std::max(now, next), Step::data, number, command.id, out);
}

/// A page of data is there from memory.
void Drive::landed(std::uint32_t number, Active& active, Bytes bytes, Instant now, device::Outbox& out) {
  const auto& command = active.command;
  active.landed += bytes;
  if (active.landed < command.size) return;
  if (active.failed) return complete(number, active, now, out);
  const auto kept = medium_.take(Opcode::write, command.size, now).at(command.size);
  plan(kept, Step::keep, number, command.id, out);
}

/// The entry follows the data in the order of posted requests.
void Drive::complete(std::uint32_t number, Active& active, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  const auto& command = active.command;
  const bool is_read = command.opcode == Opcode::read;
  ++(is_read ? counters_.reads : counters_.writes);
  counters_.failed += active.failed ? 1 : 0;
  if (!active.failed) (is_read ? counters_.read : counters_.written) += command.size;
  --in_flight_;
  const auto index = queue.completions.push();
  queue.pair->completions[index] = {command.id, queue.submissions.head(), active.failed};
  const bool polled = config_.interrupt_threshold == 0;
  write({number, Work::completion, queue.completions.tail()}, pcie::Purpose::completion_entry, host_,
        entry_address(queue.pair->cq_address, completion_entry, index), completion_entry, polled, now, out);
  if (polled) return;
  if (++queue.unannounced >= config_.interrupt_threshold) return interrupt(number, now, out);
  if (queue.unannounced > 1) return;
  queue.interrupt_at = now + config_.interrupt_time;
  plan(queue.interrupt_at, Step::interrupt, number, 0, out);
}

void Drive::interrupt(std::uint32_t number, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  queue.unannounced = 0;
  queue.interrupt_at = never;
  ++counters_.interrupts;
  write({number, Work::interrupt, queue.completions.tail()}, pcie::Purpose::interrupt, host_, queue.pair->msi_address,
        doorbell, true, now, out);
}

void Drive::read(const Cookie& cookie, fabric::NodeId target, std::uint64_t address, Bytes size, Instant now,
                 device::Outbox& out) {
  const bool data = cookie.work == Work::data;
  out.submit(data ? data_channel : fetch_channel, {.cookie = cookie.pack(),
                                                   .target = target,
                                                   .op = pcie::Operation::memory_read,
                                                   .purpose = data ? pcie::Purpose::payload : pcie::Purpose::descriptor,
                                                   .relaxed_ordering = data && config_.function.relaxed_ordering,
                                                   .id_based_ordering = config_.function.id_based_ordering,
                                                   .notify_requester = true,
                                                   .address = address,
                                                   .bytes = size,
                                                   .ready = now});
}

void Drive::write(const Cookie& cookie, pcie::Purpose purpose, fabric::NodeId target, std::uint64_t address, Bytes size,
                  bool notify, Instant now, device::Outbox& out) {
  out.submit(posted_channel,
             {.cookie = cookie.pack(),
              .target = target,
              .op = pcie::Operation::memory_write,
              .purpose = purpose,
              .relaxed_ordering = purpose == pcie::Purpose::payload && config_.function.relaxed_ordering,
              .id_based_ordering = config_.function.id_based_ordering,
              .notify_target = notify,
              .notify_requester = purpose == pcie::Purpose::payload,
              .address = address,
              .bytes = size,
              .ready = now});
}

}  // namespace peerpath::nvme
