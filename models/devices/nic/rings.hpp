// What lies in the rings between a driver and the NIC, as values: the same in the model, where ring memory is shared by
// handle, and in the emulator, where a register personality decodes it from guest memory.
#pragma once

#include <cstdint>

#include "peerpath/base/address.hpp"
#include "peerpath/base/id.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/fabric/topology.hpp"
#include "peerpath/net/headers.hpp"

namespace peerpath::nic {

using QueueIndex = Id<struct QueueTag>;                ///< a receive or transmit queue of one NIC
using BufferId = Id<struct BufferTag, std::uint32_t>;  ///< the driver's name for a posted receive buffer
using PacketIndex =
    Id<struct PacketTag, std::uint32_t>;  ///< a packet's row in the journal (model bookkeeping, no wire data)

/// A place in memory that the NIC reaches by DMA: the address as on the bus, and the completer that decodes it.
struct MemoryPlace {
  fabric::NodeId node{};
  BusAddress address{};

  friend MemoryPlace operator+(MemoryPlace place, Bytes n) { return {place.node, place.address + n}; }
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};

/// Entry of a buffer queue: one receive buffer, with a separate header buffer for header split.
struct BufferDescriptor {
  BufferId buffer{};
  MemoryPlace header{};
  MemoryPlace payload{};
};

/// Entry of a receive completion queue. Each consumes exactly one buffer; a packet larger than one buffer has several.
struct RxCompletion {
  QueueIndex queue{};
  BufferId buffer{};
  std::uint16_t header_length = 0;   ///< bytes in the header buffer; 0 when not split
  std::uint32_t payload_length = 0;  ///< bytes in the payload buffer
  std::uint32_t rss_hash = 0;
  net::Layer3 layer3 = net::Layer3::other;
  net::Layer4 layer4 = net::Layer4::none;
  bool split = false;
  bool end_of_packet = false;
  bool error = false;       ///< the checksum of the IP header is wrong
  bool generation = false;  ///< flips at each wrap of the ring; first pass true
  PacketIndex packet{};     ///< model bookkeeping
};

/// A packet to send: header and payload in one or two memories. With `mss` > 0 the NIC segments it (TSO).
struct TxDescriptor {
  MemoryPlace header{};
  MemoryPlace payload{};
  std::uint16_t header_length = 0;
  std::uint32_t payload_length = 0;
  std::uint16_t mss = 0;
  std::uint16_t tag = 0;  ///< comes back in the completion
  bool checksum_offload = true;
  std::uint64_t handle = 0;  ///< names the payload to whoever holds its bytes
};

/// Entry of a transmit completion queue: the packet `tag` is sent and its ring entries up to `head` are free.
struct TxCompletion {
  QueueIndex queue{};
  std::uint16_t tag = 0;
  std::uint32_t head = 0;
  bool generation = false;
  bool lost = false;  ///< its data could not be read, so nothing was sent: how the model measures, no NIC says so here
  Instant started{}, read{};  ///< likewise: its DMA began; its data was all there
};

/// Sizes in memory. Defaults: gve DQO with raw DMA addressing (Linux drivers/net/ethernet/google/gve/gve_desc_dqo.h).
struct DescriptorSizes {
  Bytes buffer{32};
  Bytes rx_completion{32};
  Bytes tx{16};  ///< each of: general context, TSO context, one per data piece
  Bytes tx_completion{8};
  Bytes tx_piece_limit{16383};  ///< largest data piece of one TX descriptor
};

/// Bytes that one TxDescriptor takes in the ring: a general context, a TSO context if it segments, and the data pieces.
constexpr Bytes ring_bytes(const TxDescriptor& d, const DescriptorSizes& sizes) {
  const auto pieces = [&](std::int64_t n) {
    return (n + sizes.tx_piece_limit.count() - 1) / sizes.tx_piece_limit.count();
  };
  return sizes.tx * (1 + (d.mss > 0 ? 1 : 0) + pieces(d.header_length) + pieces(d.payload_length));
}

/// A ring of a power of two entries with free-running indices: producer - consumer entries are in use.
struct RingIndices {
  std::uint32_t entries = 0;
  std::uint32_t producer = 0;
  std::uint32_t consumer = 0;

  std::uint32_t used() const { return producer - consumer; }
  std::uint32_t free() const { return entries - used(); }
  std::uint32_t slot(std::uint32_t index) const { return index & (entries - 1); }
  /// Generation bit of the entry at free-running `index`.
  bool generation(std::uint32_t index) const { return (index & entries) == 0; }
};

/// The doorbells of a queue. A doorbell is a posted write of 4 bytes at `doorbell_offset`; its value, a free-running
/// index, travels as the cookie of the transaction (the fabric carries no data).
enum class Doorbell : std::uint8_t {
  rx_buffers,  ///< producer index of the buffer queue
  rx_arm,      ///< completions consumed: interrupt when there are more
  tx_packets,  ///< producer index of the transmit queue
  tx_arm,
};

/// Offset of a doorbell in the NIC's doorbell BAR: 16 B a queue.
constexpr Bytes doorbell_offset(QueueIndex queue, Doorbell doorbell) {
  return Bytes{queue.value() * 16 + static_cast<std::int64_t>(doorbell) * 4};
}

/// Interrupt vector of a queue, which travels as the cookie of the MSI-X write: receive queues first.
constexpr std::uint64_t rx_vector(QueueIndex queue) { return queue.value() * 2u; }
constexpr std::uint64_t tx_vector(QueueIndex queue) { return queue.value() * 2u + 1; }

}  // namespace peerpath::nic
