// The driver of one receive queue.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "devices/host_cpu/copy_stage.hpp"

namespace peerpath::host_cpu {

/// Posts buffers, and polls completions after an interrupt in rounds of a budget, as Linux's NAPI does: a round that
/// uses up its budget is followed by another one; else the interrupt is armed again.
class RxDriver {
 public:
  static constexpr int budget = 64;           ///< completions in a round (NAPI_POLL_WEIGHT)
  static constexpr std::uint32_t batch = 32;  ///< buffers for which the doorbell is rung (gve)

  RxDriver(DriverContext& host, const NicSetup& nic, const RxSetup& setup);

  /// Fills the ring and rings the doorbell.
  void start(device::Outbox& out);
  /// True if it has to poll now, and did not already.
  bool interrupted(Instant now) {
    interrupt_ = now;
    return !std::exchange(polling_, true);
  }
  /// One round on `core`, which is free at `now`. True if it wants another one.
  bool poll(Instant now, Core& core, device::Outbox& out);
  /// A copy of the GPU is done. True if it was one of ours.
  bool copied(std::uint64_t handle, Instant now, Core& core);
  /// Waits for staging memory, and should be polled again now that a copy is done.
  bool resume() { return std::exchange(blocked_, false); }

 private:
  Duration cost_of(const nic::RxCompletion& completion) const;
  void post(nic::BufferId buffer);
  void take(const nic::RxCompletion& completion, Instant now, Core& core, device::Outbox& out);

  DriverContext* host_;
  std::shared_ptr<nic::QueueMemory> memory_;
  nic::QueueRings* rings_;
  RxSetup setup_;
  Bytes buffer_size_, header_size_;
  nic::MemoryPlace buffer_doorbell_, arm_doorbell_;
  std::optional<CopyStage> stage_;
  bool copied_by_core_ = true;
  std::uint32_t consumed_ = 0;           ///< completions
  std::uint32_t posted_ = 0, told_ = 0;  ///< buffers in the ring, and those that the NIC knows of
  std::uint32_t batch_ = batch;
  bool polling_ = false, blocked_ = false;
  Instant interrupt_{};                 ///< the latest
  std::vector<nic::PacketIndex> done_;  ///< scratch
};

}  // namespace peerpath::host_cpu
