// Packets on their way from the guest's memory to the wire.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "devices/nic/cookie.hpp"
#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/gve_device.hpp"
#include "devices/nic/gve_host.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/sent_before.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::nic::gve {

/// Reads gve's descriptors, gathers them into the packets that the datapath knows, and holds their bytes until the
/// datapath has cut and sent them. A packet's headers are looked at when it is posted, since the datapath wants to know
/// how long they are; what goes out are the bytes of that look, whatever the guest does to them later.
class Transmit {
 public:
  Transmit(const Offer& offer, Host& host, QueueMemory& memory);

  void create(const TxQueueConfig& config);
  /// Takes in descriptors up to `tail`, a few at a time, and returns the datapath's producer index, in packets.
  std::uint32_t take(QueueIndex queue, std::uint32_t tail);
  /// Whether `take` has more to do up to `tail`.
  bool behind(QueueIndex queue, std::uint32_t tail) const;

  /// The datapath reads a packet's header or payload: the bytes are gathered from the packet's pieces.
  pcie::Status read_data(const Cookie& cookie, const fabric::Transaction& t);
  /// A frame of a packet leaves: its payload is put behind its header, checksums are filled in.
  void send(const device::Frame& frame);
  /// Returns the index, in packets, behind the last completion.
  std::uint32_t write_completions(const Cookie& cookie, pcie::Purpose purpose);

  std::int64_t dma_errors() const { return dma_errors_; }
  /// Of what the driver really used, which the datapath does not know.
  const RingCounters& counters() const { return counters_; }

 private:
  struct Packet {
    TxPacket description;
    net::ParsedFrame parsed;
    std::uint16_t header = 0;              ///< bytes that the datapath takes as headers
    std::unique_ptr<std::uint8_t[]> data;  ///< header and payload; a cut packet's headers move along in it
    std::size_t size = 0;
    std::span<std::uint8_t> bytes() const { return {data.get(), size}; }
    std::size_t sent = 0;    ///< payload bytes that have left
    std::uint32_t head = 0;  ///< ring index behind its last descriptor
  };
  struct Queue {
    TxQueueConfig config;
    TxAssembler assembler;
    std::uint32_t head = 0;    ///< next descriptor, free running
    std::uint32_t posted = 0;  ///< packets told to the datapath
    std::uint32_t first = 0;   ///< number of the first packet in `packets`
    std::deque<Packet> packets;
    std::uint32_t completions = 0;  ///< entries written
    bool stopped = false;           ///< its descriptors could not be read
  };

  void post(Queue& queue, TxAssembler::Result&& result);
  bool gather(const TxPacket& packet, std::size_t from, std::span<std::uint8_t> into, bool look, pcie::Purpose purpose);
  void complete(Queue& queue, TxEvent event, std::uint16_t value, pcie::Purpose purpose);
  Packet* find(QueueIndex queue, std::uint32_t number);

  Host& host_;
  QueueMemory& memory_;
  std::size_t max_frame_;
  std::vector<Queue> queues_;
  SentBefore before_;
  RingCounters counters_;
  std::int64_t dma_errors_ = 0;
};

}  // namespace peerpath::nic::gve
