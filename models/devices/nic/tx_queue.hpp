// One transmit queue: descriptors, the packets whose data is being read, completions.
#pragma once

#include "devices/nic/completion_writer.hpp"
#include "devices/nic/descriptor_fetch.hpp"
#include "peerpath/base/ring.hpp"

namespace peerpath::nic {

/// Keeps the order of a queue's packets: data of several is read at the same time, and they leave in turn.
class TxQueue {
 public:
  TxQueue(Context& nic, QueueIndex index);

  void packets_posted(std::uint32_t producer, Instant now, device::Outbox& out);
  /// True if new descriptors are at hand.
  bool descriptors_read(const Cookie& cookie, pcie::Status status) { return fetch_.completed(cookie, status); }
  CompletionWriter& completions() { return completions_; }

  /// The next packet to start, or nullptr.
  const TxDescriptor* next() const;
  /// Reads the header and payload of the next packet.
  void start_next(Instant now, device::Outbox& out);
  /// Completes the next packet unsent: its descriptor makes no sense.
  void refuse_next(Instant now, device::Outbox& out);

  /// One read of a packet has ended.
  void data_read(const Cookie& cookie, pcie::Status status);

  /// A packet whose data is here, in order.
  struct Ready {
    TxDescriptor descriptor;
    net::HeaderBytes header;
    bool failed = false;  ///< a read did not succeed: must not go out
    Instant started{};    ///< its data is being read since
  };
  const Ready* front() const {
    return !packets_.empty() && packets_.front().reads == 0 ? &packets_.front().ready : nullptr;
  }
  /// Completes the front packet: its memory may be used again.
  void complete_front(Instant now, device::Outbox& out);

  bool running() const { return running_; }
  /// Ends all DMA; returns the bytes of the packets that were in the NIC.
  Bytes stop();
  void start();

 private:
  struct Packet {
    Ready ready;
    int reads = 0;
  };

  Context* nic_;
  QueueIndex index_;
  QueueRings* rings_;
  DescriptorFetch fetch_;
  CompletionWriter completions_;
  Ring<Packet> packets_;
  std::uint32_t first_ = 0;  ///< number of the front packet
  std::uint32_t freed_ = 0;  ///< ring entries completed
  bool running_ = true;
  std::uint8_t epoch_ = 0;
};

/// All bytes of a packet that the NIC has to hold.
constexpr Bytes held_bytes(const TxDescriptor& d) {
  return Bytes{d.header_length + static_cast<std::int64_t>(d.payload_length)};
}

}  // namespace peerpath::nic
