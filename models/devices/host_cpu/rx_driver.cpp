#include "devices/host_cpu/rx_driver.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::host_cpu {

RxDriver::RxDriver(DriverContext& host, const NicSetup& nic, const RxSetup& setup)
    : host_{&host},
      memory_{nic.memory},
      rings_{&nic.memory->queue(setup.queue)},
      setup_{setup},
      buffer_size_{nic.buffer_size},
      header_size_{nic.header_buffer_size},
      buffer_doorbell_{nic.doorbells + nic::doorbell_offset(setup.queue, nic::Doorbell::rx_buffers)},
      arm_doorbell_{nic.doorbells + nic::doorbell_offset(setup.queue, nic::Doorbell::rx_arm)} {
  const auto entries = memory_->entries();
  require(setup.payload.size >= buffer_size_ * entries && setup.headers.size >= header_size_ * entries,
          "the buffers of a receive ring do not fit their regions");
  batch_ = std::min(batch, entries / 4);
  if (!setup.bounce) return;
  // A piece that does not fit before the end of the ring skips less than its own size.
  require(setup.copy.staging.size >= 2 * buffer_size_, "the staging memory must hold two buffers");
  stage_.emplace(host, setup.copy);
  copied_by_core_ = setup.copy.by_core;
}

void RxDriver::post(nic::BufferId buffer) {
  const auto i = static_cast<std::int64_t>(buffer.value());
  rings_->buffers.at(posted_++) = {buffer, setup_.headers.base + header_size_ * i,
                                   setup_.payload.base + buffer_size_ * i};
}

void RxDriver::start(device::Outbox& out) {
  for (std::uint32_t i = 0; i < memory_->entries(); ++i) post(nic::BufferId{i});
  told_ = posted_;
  ring(*host_, buffer_doorbell_, told_, Bytes{4}, Instant{}, out);
}

Duration RxDriver::cost_of(const nic::RxCompletion& completion) const {
  const auto& config = host_->config;
  Duration cost = config.byte_cost_per_kib * completion.payload_length / 1024;
  if (completion.end_of_packet) cost += config.packet_cost;
  if (stage_ && copied_by_core_) cost += Bytes{completion.payload_length} / config.copy_rate;
  return cost;
}

bool RxDriver::poll(Instant now, Core& core, device::Outbox& out) {
  ++host_->counters.polls;
  int taken = 0;
  while (taken < budget) {
    const auto* completion = rings_->rx_completions.visible(consumed_, now);
    if (completion == nullptr) break;
    if (stage_ && !stage_->room(Bytes{completion->payload_length})) {
      blocked_ = true;
      break;
    }
    take(*completion, now, core, out);
    ++taken;
  }
  if (stage_) stage_->flush(now, core, out);
  if (posted_ - told_ >= batch_) {
    told_ = posted_;
    ring(*host_, buffer_doorbell_, told_, Bytes{4}, core.run(now, host_->config.doorbell_cost), out);
  }
  if (taken == budget) return true;
  if (blocked_) return false;
  polling_ = false;
  ring(*host_, arm_doorbell_, consumed_, Bytes{4}, core.run(now, host_->config.doorbell_cost), out);
  return false;
}

void RxDriver::take(const nic::RxCompletion& completion, Instant now, Core& core, device::Outbox& out) {
  auto& counters = host_->counters;
  const Bytes payload{completion.payload_length};
  const Instant done = core.run(now, cost_of(completion));
  if (completion.end_of_packet)
    memory_->journal().taken(completion.packet, rings_->rx_completions.visible_since(consumed_), interrupt_);
  if (stage_ && copied_by_core_) {
    counters.copied += payload;
    counters.dram_read += payload;
    counters.dram_written += payload;
  }
  if (stage_) {
    stage_->append(payload, completion.packet, completion.end_of_packet, now, core, out);
  } else if (completion.end_of_packet) {
    memory_->journal().consumed(completion.packet, done);
  }
  counters.rx_payload += payload;
  if (completion.end_of_packet) ++counters.rx_packets;
  if (completion.error) ++counters.rx_errors;
  const auto buffer = completion.buffer;
  ++consumed_;
  post(buffer);
}

bool RxDriver::copied(std::uint64_t handle, Instant now, Core& core) {
  const auto moved = stage_ ? stage_->completed(handle, done_) : std::nullopt;
  if (!moved) return false;
  const Instant when = core.run(now, host_->config.packet_cost);
  for (const auto packet : done_) {
    if (!*moved) memory_->journal().spoil(packet);
    memory_->journal().consumed(packet, when);
  }
  done_.clear();
  return true;
}

}  // namespace peerpath::host_cpu
