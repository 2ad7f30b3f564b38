#include "devices/host_cpu/tx_driver.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::host_cpu {

TxDriver::TxDriver(DriverContext& host, const NicSetup& nic, const TxSetup& setup)
    : host_{&host},
      memory_{nic.memory},
      rings_{&nic.memory->queue(setup.queue)},
      setup_{setup},
      packet_doorbell_{nic.doorbells + nic::doorbell_offset(setup.queue, nic::Doorbell::tx_packets)},
      arm_doorbell_{nic.doorbells + nic::doorbell_offset(setup.queue, nic::Doorbell::tx_arm)},
      taken_at_(nic.memory->entries()),
      posted_at_(nic.memory->entries()),
      spoilt_(nic.memory->entries()) {
  require(setup.packet > Bytes{0} && setup.payload.size >= setup.packet, "a transmit queue has no payload to send");
  require(setup.headers.size >= Bytes{net::HeaderBytes::capacity} * memory_->entries(),
          "the header buffers of a transmit ring do not fit their region");
  const auto payload = setup.mss > Bytes{0} ? std::min(setup.mss, setup.packet) : setup.packet;
  for (std::uint32_t flow = 0; flow < static_cast<std::uint32_t>(std::max(setup.flows, 1)); ++flow)
    headers_.push_back(net::build({.key = net::generated_flow(setup.first_flow + flow), .payload = payload}));
  if (setup.bounce) stage_.emplace(host, setup.copy, setup.packet);
}

std::uint32_t TxDriver::room() const {
  const auto in_ring = memory_->entries() - (taken_ - consumed_);
  return stage_ ? std::min(in_ring, stage_->room()) : in_ring;
}

void TxDriver::write_descriptor() {
  const std::uint32_t slot = posted_ & (memory_->entries() - 1);
  const auto flow = posted_ % headers_.size();
  auto& header = headers_[flow];
  nic::TxDescriptor d;
  d.header = setup_.headers.base + Bytes{net::HeaderBytes::capacity} * slot;
  d.header_length = header.size;
  d.payload = setup_.payload.base + setup_.packet * (posted_ % (setup_.payload.size / setup_.packet));
  d.payload_length = static_cast<std::uint32_t>(setup_.packet.count());
  d.mss = static_cast<std::uint16_t>(setup_.mss.count());
  d.tag = static_cast<std::uint16_t>(slot);
  d.handle = setup_.first_handle + flow;
  rings_->tx.at(posted_) = d;
  rings_->tx_headers.at(posted_) = header;
  net::advance_tcp_sequence(header, setup_.packet);
  ++posted_;
}

Instant TxDriver::post(std::uint32_t packets, Duration each, Instant now, Core& core, device::Outbox& out) {
  const Instant done = core.run(now, each * packets + host_->config.doorbell_cost);
  for (std::uint32_t i = 0; i < packets; ++i) {
    posted_at_[posted_ & (memory_->entries() - 1)] = done;
    write_descriptor();
  }
  ring(*host_, packet_doorbell_, posted_, Bytes{4}, done, out);
  return done;
}

Instant TxDriver::send(Instant now, Core& core, device::Outbox& out) {
  const auto count = std::min(room(), static_cast<std::uint32_t>(std::max(setup_.burst, 1)));
  full_ = count == 0;
  if (full_) return due_ = never;
  for (std::uint32_t i = 0; i < count; ++i) taken_at_[taken_++ & (memory_->entries() - 1)] = now;
  const Instant done =
      stage_ ? stage_->fetch(count, now, core, out) : post(count, host_->config.packet_cost, now, core, out);
  // The rate is kept by the plan, not by when the core came to it; a ring that was full starts a new plan.
  due_ = (due_ == never ? now : due_) + setup_.interval * count;
  return std::max(due_, done);
}

bool TxDriver::resume() { return room() > 0 && std::exchange(full_, false); }

bool TxDriver::copied(std::uint64_t handle, Instant now, Core& core) {
  if (!stage_ || !stage_->completed(handle)) return false;
  core.run(now, host_->config.packet_cost);
  return true;
}

bool TxDriver::has_whole_packets() { return stage_->whole() > 0 && !std::exchange(queued_, true); }

void TxDriver::copy_out(Instant now, Core& core, device::Outbox& out) {
  const auto most = std::max<std::int64_t>(copy_round / setup_.packet, 1);
  const auto packets = std::min(stage_->whole(), static_cast<std::uint32_t>(most));
  if (packets == 0) return;
  for (std::uint32_t i = 0; i < packets; ++i) spoilt_[(posted_ + i) & (memory_->entries() - 1)] = !stage_->intact(i);
  stage_->take(packets);
  if (!setup_.copy.by_core) {
    post(packets, host_->config.packet_cost, now, core, out);
    return;
  }
  stage_->release(packets);
  const Bytes bytes = setup_.packet * packets;
  auto& counters = host_->counters;
  counters.copied += bytes;
  counters.dram_read += bytes;
  counters.dram_written += bytes;
  post(packets, host_->config.packet_cost + setup_.packet / host_->config.copy_rate, now, core, out);
}

bool TxDriver::poll(Instant now, Core& core, device::Outbox& out) {
  ++host_->counters.polls;
  if (stage_) copy_out(now, core, out);
  if (polling_) polling_ = free_entries(now, core, out);
  return queued_ = polling_ || (stage_ && stage_->whole() > 0);
}

bool TxDriver::free_entries(Instant now, Core& core, device::Outbox& out) {
  int taken = 0;
  for (; taken < budget; ++taken) {
    const auto* completion = rings_->tx_completions.visible(consumed_, now);
    if (completion == nullptr) break;
    const std::uint32_t slot = completion->tag & (memory_->entries() - 1);
    const Instant visible = rings_->tx_completions.visible_since(consumed_);
    ++consumed_;
    ++host_->counters.tx_packets;
    if (sink_ != nullptr)
      sink_->on_sent({setup_.queue, setup_.packet, taken_at_[slot], now, packet_doorbell_.node, completion->lost,
                      spoilt_[slot], posted_at_[slot], completion->started, completion->read, visible, interrupt_});
  }
  if (stage_ && !setup_.copy.by_core) stage_->release(static_cast<std::uint32_t>(taken));
  if (taken > 0)
    core.run(now, host_->config.packet_cost * taken / 4);  // freeing is the smaller part of a packet's work
  if (taken == budget) return true;
  ring(*host_, arm_doorbell_, consumed_, Bytes{4}, core.run(now, host_->config.doorbell_cost), out);
  return false;
}

}  // namespace peerpath::host_cpu
