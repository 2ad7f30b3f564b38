// Packets on their way from the guest's memory to the wire.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "devices/nic/buffer_pool.hpp"
#include "devices/nic/cookie.hpp"
#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/gve_device.hpp"
#include "devices/nic/gve_issuer.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/sent_before.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::nic::gve {

/// Reads gve's descriptors, gathers them into the packets that the datapath knows, and holds their bytes until the
/// datapath has cut and sent them. A packet's headers are looked at before it is posted, since the datapath wants to
/// know how long they are; what goes out are the bytes of that look, whatever the guest does to them later. A queue has
/// one read of descriptors under way, and no more packets than its ring has entries.
class Transmit {
 public:
  Transmit(const Offer& offer, Host& host, Issuer& issuer, QueueMemory& memory);

  void create(const TxQueueConfig& config);
  /// The queue has stopped: its packets are forgotten.
  void destroy(QueueIndex queue);
  /// The doorbell: there are descriptors up to `tail`, modulo the ring.
  void ring(QueueIndex queue, std::uint32_t tail, Instant now);
  /// Reads the next descriptors, if there are any and room for their packets.
  void fetch(QueueIndex queue, Instant now);

  /// The transaction belongs to a queue that is still there.
  bool current(const Continuation& then) const { return queues_[then.queue.value()].life == then.life; }
  /// Descriptors have been read; a queue whose descriptors cannot be read stands still until it is created anew.
  void descriptors_read(const Continuation& then, bool success, std::span<const std::uint8_t> data, Instant now);
  /// A piece of a packet's begin has been read.
  void looked(const Continuation& then, bool success, std::span<const std::uint8_t> data);
  /// The datapath's producer index, in packets: those whose headers are known.
  std::uint32_t posted(QueueIndex queue) const { return queues_[queue.value()].posted; }

  /// The datapath reads a packet's header or payload: a read for each piece of it.
  void read(const Cookie& cookie, const fabric::Transaction& t);
  /// A piece has been read. The datapath's transaction, if it was the last one, and whether all succeeded.
  struct Read {
    fabric::Transaction asked{};
    bool success = false;
  };
  std::optional<Read> piece_read(const Continuation& then, bool success, std::span<const std::uint8_t> data);
  /// A frame of a packet leaves: its payload is put behind its header, checksums are filled in.
  void send(const device::Frame& frame, Instant when);
  /// Each entry is a write; the datapath's transaction is the last one.
  void write_completions(const Cookie& cookie, const fabric::Transaction& t);

  /// Of what the driver really used, which the datapath does not know.
  const RingCounters& counters() const { return counters_; }

 private:
  /// Reads of one part of a packet.
  struct Gathering {
    fabric::Transaction asked{};
    std::size_t left = 0;
    bool failed = false;
  };
  struct Packet {
    TxPacket description;
    net::ParsedFrame parsed;
    std::uint16_t header = 0;  ///< bytes that the datapath takes as headers
    BufferPool::Buffer data;   ///< header and payload; a cut packet's headers move along in it
    std::size_t size = 0;
    std::span<std::uint8_t> bytes() { return std::span{data}.first(size); }
    std::size_t sent = 0;    ///< payload bytes that have left
    std::uint32_t head = 0;  ///< ring index behind its last descriptor
    bool bad = false;        ///< its descriptors make no sense
    Gathering look, header_read, payload_read;
  };
  struct Queue {
    TxQueueConfig config;
    TxAssembler assembler;
    std::uint32_t life = 0;    ///< counts creations and ends
    std::uint32_t head = 0;    ///< next descriptor, free running
    std::uint32_t tail = 0;    ///< as the driver told
    bool reading = false;      ///< descriptors
    std::uint32_t posted = 0;  ///< packets told to the datapath
    std::uint32_t first = 0;   ///< number of the first packet in `packets`
    std::deque<Packet> packets;
    std::uint32_t completions = 0;  ///< entries written
    bool stopped = false;           ///< its descriptors could not be read
  };

  void start(Queue& queue, TxAssembler::Result&& result, Instant now);
  void describe(Queue& queue, std::uint32_t number, Packet& packet);
  void post_known(Queue& queue);
  void gather(Continuation then, Packet& packet, Gathering& gathering, std::size_t from, std::size_t size,
              pcie::Purpose purpose, Instant ready);
  void complete(Queue& queue, const Continuation& then, TxEvent event, std::uint16_t value,
                const fabric::Transaction& t);
  Packet* find(QueueIndex queue, std::uint32_t number);

  Host& host_;
  Issuer& issuer_;
  QueueMemory& memory_;
  std::size_t max_frame_;
  std::vector<Queue> queues_;
  BufferPool pool_;
  SentBefore before_;
  RingCounters counters_;
};

}  // namespace peerpath::nic::gve
