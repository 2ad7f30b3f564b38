// The bounce path's second half: payload that the CPU has copied to pinned memory goes to the GPU by its copy engine.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "devices/host_cpu/driver_context.hpp"

namespace peerpath::host_cpu {

/// A ring of staging memory. Packets are appended back to back; `flush` hands what has gathered to the GPU as one copy
/// (two, if it wraps), and the space is free again when the GPU has said that it is done.
class CopyStage {
 public:
  CopyStage(DriverContext& host, const BounceSetup& setup) : host_{&host}, setup_{setup} {}

  bool room(Bytes bytes) const;
  /// Appends a piece; the packet counts as arrived with its last piece.
  void append(Bytes bytes, nic::PacketIndex packet, bool last, Instant now, Core& core, device::Outbox& out);
  /// Rings the GPU's doorbell for what has gathered; returns when the core is done with it.
  void flush(Instant now, Core& core, device::Outbox& out);
  /// The GPU has completed a copy: the packets that it contained, and whether all of it was moved. None if it was not
  /// one of ours.
  std::optional<bool> completed(std::uint64_t handle, std::vector<nic::PacketIndex>& packets);

 private:
  struct Copy {
    std::uint64_t handle = 0;
    Bytes space{};  ///< with what was skipped at the end of the ring
    std::vector<nic::PacketIndex> packets;
    bool done = false;
  };

  DriverContext* host_;
  BounceSetup setup_;
  Bytes head_{}, used_{};  ///< next free byte; bytes in use
  Bytes gathered_from_{}, gathered_{};
  Bytes skipped_{};
  std::vector<nic::PacketIndex> gathered_packets_;
  std::deque<Copy> copies_;  ///< in order of their space
};

}  // namespace peerpath::host_cpu
