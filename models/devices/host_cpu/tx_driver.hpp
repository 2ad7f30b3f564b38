// The driver and the sending application of one transmit queue.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "devices/host_cpu/send_stage.hpp"

namespace peerpath::host_cpu {

/// Posts packets at a regular rate while the ring has room, and frees entries as completions tell. What does not fit is
/// sent as soon as there is room again: the rate is an upper bound. With `bounce` a packet is asked of the GPU first,
/// and posted when the core has copied it out of pinned memory.
class TxDriver {
 public:
  static constexpr int budget = 64;
  static constexpr Bytes copy_round{65536};  ///< copied out of pinned memory in a round, and one packet at least

  TxDriver(DriverContext& host, const NicSetup& nic, const TxSetup& setup);

  void set_sink(SentSink* sink) { sink_ = sink; }
  /// Takes a burst, or as much of it as fits; returns when to come again, `never` if nothing fits.
  Instant send(Instant now, Core& core, device::Outbox& out);
  /// True if it has to poll now, and is not about to already.
  bool interrupted(Instant now) {
    interrupt_ = now;
    polling_ = true;
    return !std::exchange(queued_, true);
  }
  /// One round. True if it wants another one.
  bool poll(Instant now, Core& core, device::Outbox& out);
  /// A copy of the GPU is done. True if it was one of ours.
  bool copied(std::uint64_t handle, Instant now, Core& core);
  /// After that: true if it has to poll now, and is not about to already.
  bool has_whole_packets();
  /// Was stopped by a full ring or full pinned memory, and has room now.
  bool resume();
  bool serves(fabric::NodeId nic, nic::QueueIndex queue) const {
    return packet_doorbell_.node == nic && setup_.queue == queue;
  }
  /// Payload taken from the application and not seen complete.
  Bytes held() const { return setup_.packet * std::int64_t{taken_ - consumed_}; }

 private:
  std::uint32_t room() const;
  void copy_out(Instant now, Core& core, device::Outbox& out);
  /// Sees completions. True if there may be more of them; else the interrupt is armed.
  bool free_entries(Instant now, Core& core, device::Outbox& out);
  void write_descriptor();
  /// Posts the next packets, after `each` of work for each of them; returns when the core is done.
  Instant post(std::uint32_t packets, Duration each, Instant now, Core& core, device::Outbox& out);

  DriverContext* host_;
  std::shared_ptr<nic::QueueMemory> memory_;
  nic::QueueRings* rings_;
  TxSetup setup_;
  nic::MemoryPlace packet_doorbell_, arm_doorbell_;
  SentSink* sink_ = nullptr;
  std::optional<SendStage> stage_;
  std::vector<Instant> taken_at_;                        ///< from the application, by slot
  std::vector<Instant> posted_at_;                       ///< in the ring, and the doorbell on its way, by slot
  std::vector<bool> spoilt_;                             ///< in the ring with other bytes than the GPU's, by slot
  std::vector<net::HeaderBytes> headers_;                ///< of the next packet, by flow
  std::uint32_t taken_ = 0, posted_ = 0, consumed_ = 0;  ///< packets: from the application, in the ring, done
  bool polling_ = false;                                 ///< between an interrupt and its next arming
  bool queued_ = false;                                  ///< waits for the core
  bool full_ = false;
  Instant interrupt_{};  ///< the latest
  Instant due_ = never;  ///< when the next burst is planned; never: as soon as it can be
};

}  // namespace peerpath::host_cpu
