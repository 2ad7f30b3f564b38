// The bounce path of sending, first half: payload comes from GPU memory to pinned memory by the GPU's copy engine.
#pragma once

#include <deque>

#include "devices/host_cpu/driver_context.hpp"

namespace peerpath::host_cpu {

/// A ring of pinned memory in places of one packet each. A place is taken when the packet is asked for, and free again
/// when a core copies the packet from there, or, where none does, when the NIC has sent it.
class SendStage {
 public:
  SendStage(DriverContext& host, const BounceSetup& setup, Bytes packet);

  /// Packets that it can ask for now.
  std::uint32_t room() const { return places_ - used_; }
  /// Rings the GPU's doorbell for the next packets, as one copy (two, if the places wrap); returns when the core is
  /// done.
  Instant fetch(std::uint32_t packets, Instant now, Core& core, device::Outbox& out);
  /// The GPU has completed a copy. False if it was not one of ours.
  bool completed(std::uint64_t handle);
  /// Packets that are there, as are all that were asked for before them: with two engines a copy may be done before the
  /// one ahead of it.
  std::uint32_t whole() const { return static_cast<std::uint32_t>(intact_.size()); }
  /// Whether the copy of the i-th of them moved all of it.
  bool intact(std::uint32_t i) const { return intact_[i]; }
  /// The next of them are handed to the NIC or copied for it.
  void take(std::uint32_t packets);
  /// Frees the places of the oldest packets taken. A core works in order, so requests that it makes after this come
  /// when it has copied them.
  void release(std::uint32_t packets) { used_ -= packets; }

 private:
  struct Copy {
    std::uint64_t handle = 0;
    std::uint32_t packets = 0;
    bool done = false, moved = true;
  };

  DriverContext* host_;
  BounceSetup setup_;
  Bytes packet_;
  std::uint32_t places_, next_ = 0, used_ = 0;
  std::deque<Copy> copies_;  ///< as asked for
  std::deque<bool> intact_;  ///< packets that are there
};

}  // namespace peerpath::host_cpu
