#include "devices/nic/completion_writer.hpp"

#include <algorithm>

namespace peerpath::nic {
namespace {

constexpr Bytes msix_size{4};

CompletionBatch batch_of(const Context& nic, std::uint32_t entries) {
  return {entries, static_cast<std::uint32_t>(nic.config.writeback_batch), nic.config.writeback_timeout};
}

InterruptModeration moderation_of(const Context& nic) {
  return {nic.config.interrupt_moderation, nic.config.interrupt_frames};
}

}  // namespace

CompletionWriter::CompletionWriter(Context& nic, QueueIndex queue, const Role& role)
    : nic_{&nic}, queue_{queue}, role_{role}, batch_{batch_of(nic, role.entries)}, moderation_{moderation_of(nic)} {}

void CompletionWriter::restart(const Role& role, std::uint8_t epoch) {
  role_ = role;
  epoch_ = epoch;
  batch_ = batch_of(*nic_, role.entries);
  moderation_ = moderation_of(*nic_);
}

void CompletionWriter::add(Instant now, Instant ready, device::Outbox& out) {
  batch_.add(now);
  ready_ = std::max(ready_, ready);
  if (batch_.full()) {
    flush(now, out);
  } else if (!writeback_pending_) {
    out.wake_at(role_.writeback, batch_.deadline());
    writeback_pending_ = true;
  }
}

void CompletionWriter::arm(std::uint32_t index, Instant now, device::Outbox& out) {
  moderation_.arm(index);
  interrupt_if_due(now, out);
}

void CompletionWriter::on_writeback_timer(Instant now, device::Outbox& out) {
  writeback_pending_ = false;
  if (batch_.deadline() <= now) {
    flush(now, out);
  } else if (!batch_.empty()) {
    out.wake_at(role_.writeback, batch_.deadline());
    writeback_pending_ = true;
  }
}

void CompletionWriter::on_moderation_timer(Instant now, device::Outbox& out) {
  moderation_pending_ = never;
  interrupt_if_due(now, out);
}

void CompletionWriter::flush(Instant now, device::Outbox& out) {
  ready_ = std::max(ready_, now);
  while (!batch_.empty()) {
    const auto run = batch_.take();
    const auto slot = static_cast<std::int64_t>(run.first & (role_.entries - 1));
    const Cookie cookie{role_.dma, epoch_, queue_, static_cast<std::uint16_t>(run.count), run.first};
    const auto mini = nic_->config.mini_completion;
    const auto bytes = role_.entry + (mini > Bytes{0} ? std::min(mini, role_.entry) : role_.entry) * (run.count - 1);
    auto entries = write_to(role_.ring + role_.entry * slot, bytes, pcie::Purpose::completion_entry, cookie, ready_);
    entries.tell_sent = entries.notify_sent = true;
    out.submit(write_channel, entries);
    ++nic_->counters.completion_writes;
    auto& ring = role_.dma == Dma::rx_completions ? nic_->counters.rx_ring : nic_->counters.tx_ring;
    ring.completions += run.count;
    ring.completion_bytes += bytes;
  }
}

void CompletionWriter::sent(const Cookie& cookie, Instant now, device::Outbox& out) {
  if (cookie.epoch != epoch_) return;
  moderation_.completed(cookie.value + cookie.count);
  interrupt_if_due(now, out);
}

void CompletionWriter::interrupt_if_due(Instant now, device::Outbox& out) {
  const Instant due = moderation_.due(now);
  if (due > now) {
    if (due == moderation_pending_) return;
    out.wake_at(role_.moderation, due);
    moderation_pending_ = due;
    return;
  }
  auto message = write_to(role_.interrupt, msix_size, pcie::Purpose::interrupt,
                          {Dma::interrupt, epoch_, queue_, 0, static_cast<std::uint32_t>(role_.vector)}, now);
  message.notify_target = true;
  out.submit(interrupt_channel, message);
  moderation_.fired(now);
  ++nic_->counters.interrupts;
}

}  // namespace peerpath::nic
