// What a gve device offers and what its queues look like: the seam between the register personality and the datapath.
#pragma once

#include <array>
#include <cstdint>

#include "devices/nic/rings.hpp"
#include "devices/nic/steering.hpp"

namespace peerpath::nic::gve {

/// Limits that the device descriptor announces.
struct Offer {
  int queues = 4;
  int vectors = 9;  ///< MSI-X: two a queue pair and one for management
  std::uint16_t tx_entries = 512, rx_entries = 1024;
  std::uint16_t min_entries = 64, max_entries = 2048;
  std::uint16_t mtu = 1500, max_mtu = 9000;
  std::uint16_t counters = 64;
  std::uint16_t buffer_size = 4096, header_buffer_size = 128;
  std::uint32_t max_flow_rules = 64;
  bool coalesce = true;  ///< receive coalescing, where the driver allows it
  std::uint64_t link_mbps = 200'000;
  std::array<std::uint8_t, 6> mac{0x02, 0x50, 0x50, 0, 0, 1};
};

struct RxQueueConfig {
  QueueIndex queue{};
  std::uint32_t vector = 0;
  BusAddress completion_ring{}, buffer_ring{};
  std::uint16_t completion_entries = 0, buffer_entries = 0;
  std::uint16_t buffer_size = 0;
  std::uint16_t header_buffer_size = 0;  ///< 0: no header split
  bool rsc_allowed = false;
};

struct TxQueueConfig {
  QueueIndex queue{};
  std::uint32_t vector = 0;
  BusAddress ring{}, completion_ring{};
  std::uint16_t entries = 0, completion_entries = 0;
};

/// A queue's drop counters, for REPORT_STATS.
struct RxDrops {
  std::uint64_t dropped = 0, no_buffers = 0, too_long = 0, bad_checksum = 0;
};

/// What the registers make happen. Everything that arrives here has been checked against the offer.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual void create_rx(const RxQueueConfig& config) = 0;
  virtual void create_tx(const TxQueueConfig& config) = 0;
  /// No new DMA for the queue after the return.
  virtual void destroy_rx(QueueIndex queue) = 0;
  virtual void destroy_tx(QueueIndex queue) = 0;
  /// All DMA that is under way now is to end before `fenced`; then the backend calls `Registers::proceed`.
  virtual void fence() = 0;
  virtual bool fenced() const = 0;
  virtual Steering& steering() = 0;
  virtual RxDrops rx_drops(QueueIndex queue) = 0;
  virtual bool link_up() = 0;
  /// Doorbells of created queues, with the tail modulo the ring's size.
  virtual void rx_tail(QueueIndex queue, std::uint32_t tail) = 0;
  virtual void tx_tail(QueueIndex queue, std::uint32_t tail) = 0;
  /// Bit 0 enables the vector, which masks itself when it fires.
  virtual void vector_doorbell(std::uint32_t vector, std::uint32_t value) = 0;
};

/// Doorbell indices in BAR2, chosen by the device.
inline constexpr std::uint32_t tx_doorbells = 256, rx_doorbells = 512;

}  // namespace peerpath::nic::gve
