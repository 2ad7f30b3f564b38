// Writes completions of one ring to host memory and interrupts the host.
#pragma once

#include "devices/nic/completion_batch.hpp"
#include "devices/nic/context.hpp"
#include "devices/nic/cookie.hpp"
#include "devices/nic/moderation.hpp"

namespace peerpath::nic {

/// One completion ring with its interrupt vector: batches, their time-out, and interrupt moderation.
class CompletionWriter {
 public:
  /// What differs between receive and transmit.
  struct Role {
    Dma dma{};
    Bytes entry{};
    MemoryPlace ring{}, interrupt{};
    std::uint32_t entries = 0;
    std::uint64_t vector = 0;
    device::TimerId writeback{}, moderation{};
  };

  CompletionWriter(Context& nic, QueueIndex queue, const Role& role);

  /// Index of the entry to compose next.
  std::uint32_t next() const { return batch_.next(); }
  /// The entry at `next()` is composed; it may not leave before `ready`.
  void add(Instant now, Instant ready, device::Outbox& out);
  /// The driver has read all below `index` and waits for an interrupt.
  void arm(std::uint32_t index, Instant now, device::Outbox& out);

  /// The write of entries that `cookie` names has left the NIC.
  void sent(const Cookie& cookie, Instant now, device::Outbox& out);
  void on_writeback_timer(Instant now, device::Outbox& out);
  void on_moderation_timer(Instant now, device::Outbox& out);

  /// Forgets everything, as after a reset of the queue.
  void restart(const Role& role, std::uint8_t epoch);

 private:
  void flush(Instant now, device::Outbox& out);
  void interrupt_if_due(Instant now, device::Outbox& out);

  Context* nic_;
  QueueIndex queue_;
  Role role_;
  std::uint8_t epoch_ = 0;
  CompletionBatch batch_;
  InterruptModeration moderation_;
  Instant ready_{};
  bool writeback_pending_ = false;  ///< the timer runs; it is not moved for each batch, but looks when it expires
  Instant moderation_pending_ = never;
};

}  // namespace peerpath::nic
