// The driver and the sending application of one transmit queue.
#pragma once

#include <utility>
#include <vector>

#include "core/devices/host_cpu/driver_context.hpp"

namespace peerpath::host_cpu {

/// Posts packets at a regular rate while the ring has room, and frees entries as completions tell. What does not fit is
/// sent as soon as there is room again: the rate is an upper bound.
class TxDriver {
 public:
  static constexpr int budget = 64;

  TxDriver(DriverContext& host, const NicSetup& nic, const TxSetup& setup);

  void set_sink(SentSink* sink) { sink_ = sink; }
  /// Posts a burst, or as much of it as fits; returns when to come again, `never` if the ring is full.
  Instant send(Instant now, Core& core, device::Outbox& out);
  bool interrupted() { return !std::exchange(polling_, true); }
  /// One round. True if it wants another one.
  bool poll(Instant now, Core& core, device::Outbox& out);
  /// Was stopped by a full ring, and has room now.
  bool resume();

 private:
  void post(Instant now);

  DriverContext* host_;
  std::shared_ptr<nic::QueueMemory> memory_;
  nic::QueueRings* rings_;
  TxSetup setup_;
  nic::MemoryPlace packet_doorbell_, arm_doorbell_;
  SentSink* sink_ = nullptr;
  std::vector<Instant> posted_at_;  ///< by slot
  std::vector<std::uint32_t> sequence_;  ///< next TCP sequence number, by flow
  std::uint32_t posted_ = 0, consumed_ = 0;
  bool polling_ = false, full_ = false;
  Instant due_ = never;  ///< when the next burst is planned; never: as soon as it can be
};

}  // namespace peerpath::host_cpu
