// One end of a cable: its egress queues, its transmitter, and what it counts.
#pragma once

#include <array>
#include <cstdint>

#include "network/packet.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::network {

/// Packets of one priority that wait to leave by a port, linked through the pool.
struct Queue {
  PacketIndex first = no_packet, last = no_packet;
  std::int64_t bytes = 0;
  std::int64_t deficit = 0;  ///< of deficit round robin
};

/// What a port has done since the start.
struct PortCounters {
  std::int64_t packets = 0, bytes = 0;   ///< sent; bytes of frames without FCS
  Duration busy{};                       ///< sending, preambles and gaps included
  std::int64_t marked = 0;               ///< packets that left with a new Congestion Experienced
  std::int64_t dropped = 0;              ///< packets that found no room here, or a cable out of service
  std::int64_t dropped_bytes = 0;        ///< of those
  std::int64_t offered = 0;              ///< bytes of frames that came to leave by this port, the dropped included
  std::int64_t pauses = 0, resumes = 0;  ///< PFC frames sent
  Duration paused{};                     ///< held by the other end with packets waiting, summed over priorities
  Duration stopped{};                    ///< likewise, while at least one priority was
  std::int64_t peak = 0;                 ///< most bytes that waited here in one priority
};

/// A port of a host or switch. Cache lines: what each packet needs, the counters, the queues.
struct alignas(64) Port {
  BitRate rate{};
  std::int64_t fs_per_byte = 0;  ///< 0: not a whole number
  Duration delay{};
  Instant free{};        ///< the transmitter has sent all that it began
  Instant wake = never;  ///< earliest event by which it will be served
  bool down = false;
  bool faulty = false;           ///< its cable loses packets
  bool leads_out = false;        ///< the node at the other end is another part's
  std::uint8_t waiting = 0;      ///< bit p: queue p is not empty
  std::uint8_t held = 0;         ///< bit p: the other end has paused priority p
  std::uint8_t holding = 0;      ///< bit p: this end has paused the other
  std::uint8_t turn = 0;         ///< priority whose turn it is in deficit round robin
  std::uint32_t local = 0;       ///< number among the ports of its node
  std::uint32_t generation = 0;  ///< of the cable: packets of an earlier one are lost
  std::int64_t arrived = 0;      ///< bytes of frames that have come in over the cable
  PortCounters counters{};
  std::array<Queue, priorities> queues{};
  std::array<Instant, priorities> held_since{};
  Instant stopped_since{};
  bool stops = false;  ///< a priority is held with packets waiting

  Duration time_of(std::int64_t wire_bytes) const {
    return fs_per_byte > 0 ? Duration{wire_bytes * fs_per_byte} : Bytes{wire_bytes} / rate;
  }
};

}  // namespace peerpath::network
