// Packets of the wire, and the pool that holds those on their way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "peerpath/base/units.hpp"

namespace peerpath::network {

using HostIndex = std::uint32_t;    ///< an end of the network: the Ethernet port of a NIC
using PacketIndex = std::uint32_t;  ///< in the pool
inline constexpr PacketIndex no_packet = ~PacketIndex{0};

/// Traffic classes of IEEE 802.1Q, each with a queue at every egress port.
inline constexpr int priorities = 8;

/// An Ethernet frame: what switches look at, and the transport's own words. A length stands for the payload's bytes.
struct Packet {
  HostIndex source = 0, destination = 0;
  std::uint32_t flow_hash = 0;       ///< of the 5-tuple
  std::uint32_t destination_qp = 0;  ///< of RoCE; 0: another transport
  std::int32_t bytes = 0;            ///< of the frame without FCS (net/ethernet.hpp)
  std::uint8_t priority = 0;
  bool ecn_capable = false;
  bool congestion_experienced = false;
  std::array<std::uint64_t, 7> cargo{};  ///< the transport's
};

/// Packets on their way, by number; a number is used again when its packet has left.
class PacketPool {
 public:
  /// A packet in the pool: where it waits, beside its content. One cache line holds all that a switch looks at.
  struct alignas(64) Slot {
    PacketIndex next = no_packet;  ///< behind it in its queue, or in the list of free slots
    std::uint32_t ingress = 0;     ///< port by which it came into the switch that holds it; on a cable: its generation
    Instant eligible{};            ///< from when on it may leave the switch
    Packet packet{};
  };

  Slot& operator[](PacketIndex index) { return slots_[index]; }
  const Slot& operator[](PacketIndex index) const { return slots_[index]; }

  PacketIndex take() {
    ++in_use_;
    if (free_ == no_packet) {
      slots_.emplace_back();
      return static_cast<PacketIndex>(slots_.size() - 1);
    }
    const PacketIndex index = free_;
    free_ = slots_[index].next;
    return index;
  }

  void give_back(PacketIndex index) {
    --in_use_;
    slots_[index].next = free_;
    free_ = index;
  }

  std::int64_t in_use() const { return in_use_; }

 private:
  std::vector<Slot> slots_;
  PacketIndex free_ = no_packet;
  std::int64_t in_use_ = 0;
};

}  // namespace peerpath::network
