// What a NIC counts.
#pragma once

#include <array>
#include <cstdint>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::nic {

/// Why a frame was not received.
enum class Drop : std::uint8_t {
  fifo_full,  ///< PCIe did not take the data fast enough
  no_buffer,  ///< the FIFO was full and the frame's queue had no buffer
  too_long,   ///< more than the MTU, or than half a ring's buffers hold
  malformed,  ///< headers that end too early or contradict themselves
  queue_stopped,
  link_down,
};
inline constexpr std::size_t drops = 6;

constexpr std::array<EnumName<Drop>, drops> enum_names(Drop) {
  return {{{"fifo_full", Drop::fifo_full},
           {"no_buffer", Drop::no_buffer},
           {"too_long", Drop::too_long},
           {"malformed", Drop::malformed},
           {"queue_stopped", Drop::queue_stopped},
           {"link_down", Drop::link_down}}};
}

/// Entries of the rings of one way, and the bytes of the DMA that moved them. A transmit descriptor is 16 B of those
/// that a packet takes.
struct RingCounters {
  std::int64_t descriptors = 0, completions = 0;  ///< read from the rings of descriptors; written
  Bytes descriptor_bytes{}, completion_bytes{};
};

/// Since the start; never reset by a device reset.
struct NicCounters {
  std::int64_t rx_frames = 0;      ///< taken in
  Bytes rx_bytes{}, rx_payload{};  ///< of those: frames without FCS; payload behind the headers
  std::array<std::int64_t, drops> rx_dropped{};
  Bytes rx_dropped_payload{};
  std::int64_t rx_not_split = 0;  ///< header split was on and the headers could not be split off
  Bytes rx_fifo_peak{};
  /// Frames that had to wait for descriptors: of buffers that are posted and not read yet; that are not posted.
  std::int64_t rx_waited_fetch = 0, rx_waited_ring = 0;
  std::int64_t tx_packets = 0, tx_frames = 0;
  Bytes tx_bytes{}, tx_payload{};
  std::int64_t bad_descriptors = 0;  ///< refused without effect but a completion
  std::int64_t bad_doorbells = 0;
  std::int64_t dma_errors = 0;  ///< reads that did not end in success
  std::int64_t interrupts = 0;
  std::int64_t descriptor_reads = 0, completion_writes = 0;
  RingCounters rx_ring, tx_ring;
  Duration wire_busy{};  ///< transmitting, what waits for the wire included: Datapath::wire_busy is without

  std::int64_t dropped(Drop why) const { return rx_dropped[static_cast<std::size_t>(why)]; }
  std::int64_t dropped() const {
    std::int64_t sum = 0;
    for (const auto n : rx_dropped) sum += n;
    return sum;
  }
};

}  // namespace peerpath::nic
