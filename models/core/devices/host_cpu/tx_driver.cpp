#include "core/devices/host_cpu/tx_driver.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::host_cpu {

TxDriver::TxDriver(DriverContext& host, const NicSetup& nic, const TxSetup& setup)
    : host_{&host}, memory_{nic.memory}, rings_{&nic.memory->queue(setup.queue)}, setup_{setup},
      packet_doorbell_{nic.doorbells + nic::doorbell_offset(setup.queue, nic::Doorbell::tx_packets)},
      arm_doorbell_{nic.doorbells + nic::doorbell_offset(setup.queue, nic::Doorbell::tx_arm)},
      posted_at_(nic.memory->entries()), sequence_(static_cast<std::size_t>(std::max(setup.flows, 1))) {
  require(setup.packet > Bytes{0} && setup.payload.size >= setup.packet, "a transmit queue has no payload to send");
  require(setup.headers.size >= Bytes{net::HeaderBytes::capacity} * memory_->entries(),
          "the header buffers of a transmit ring do not fit their region");
}

void TxDriver::post(Instant now) {
  const std::uint32_t slot = posted_ & (memory_->entries() - 1);
  const auto flow = posted_ % sequence_.size();
  net::FrameSpec spec;
  spec.key = net::generated_flow(static_cast<std::uint32_t>(flow));
  spec.payload = setup_.mss > Bytes{0} ? std::min(setup_.mss, setup_.packet) : setup_.packet;
  spec.tcp_sequence = sequence_[flow];
  sequence_[flow] += static_cast<std::uint32_t>(setup_.packet.count());
  const auto header = net::build(spec);
  nic::TxDescriptor d;
  d.header = setup_.headers.base + Bytes{net::HeaderBytes::capacity} * slot;
  d.header_length = header.size;
  d.payload = setup_.payload.base + setup_.packet * (posted_ % (setup_.payload.size / setup_.packet));
  d.payload_length = static_cast<std::uint32_t>(setup_.packet.count());
  d.mss = static_cast<std::uint16_t>(setup_.mss.count());
  d.tag = static_cast<std::uint16_t>(slot);
  d.handle = flow;
  rings_->tx.at(posted_) = d;
  rings_->tx_headers.at(posted_) = header;
  posted_at_[slot] = now;
  ++posted_;
}

Instant TxDriver::send(Instant now, Core& core, device::Outbox& out) {
  const std::uint32_t room = memory_->entries() - (posted_ - consumed_);
  const auto count = std::min(room, static_cast<std::uint32_t>(std::max(setup_.burst, 1)));
  full_ = count == 0;
  if (full_) return due_ = never;
  for (std::uint32_t i = 0; i < count; ++i) post(now);
  const Instant done = core.run(now, host_->config.packet_cost * count + host_->config.doorbell_cost);
  ring(*host_, packet_doorbell_, posted_, Bytes{4}, done, out);
  // The rate is kept by the plan, not by when the core came to it; a ring that was full starts a new plan.
  due_ = (due_ == never ? now : due_) + setup_.interval * count;
  return std::max(due_, done);
}

bool TxDriver::resume() {
  const bool room = posted_ - consumed_ < memory_->entries();
  return room && std::exchange(full_, false);
}

bool TxDriver::poll(Instant now, Core& core, device::Outbox& out) {
  ++host_->counters.polls;
  int taken = 0;
  for (; taken < budget; ++taken) {
    const auto* completion = rings_->tx_completions.visible(consumed_, now);
    if (completion == nullptr) break;
    const std::uint32_t slot = completion->tag & (memory_->entries() - 1);
    ++consumed_;
    ++host_->counters.tx_packets;
    if (sink_ != nullptr) sink_->on_sent({setup_.queue, setup_.packet, posted_at_[slot], now, packet_doorbell_.node, completion->lost});
  }
  if (taken > 0) core.run(now, host_->config.packet_cost * taken / 4);  // freeing is the smaller part of a packet's work
  if (taken == budget) return true;
  polling_ = false;
  ring(*host_, arm_doorbell_, consumed_, Bytes{4}, core.run(now, host_->config.doorbell_cost), out);
  return false;
}

}  // namespace peerpath::host_cpu
