// One receive queue: buffers, header split, completions.
#pragma once

#include "devices/nic/completion_writer.hpp"
#include "devices/nic/descriptor_fetch.hpp"
#include "peerpath/base/ring.hpp"

namespace peerpath::nic {

/// A frame that is in the FIFO, parsed and steered.
struct RxFrame {
  PacketRecord record;
  std::uint16_t header_length = 0;  ///< bytes for the header buffer; 0: the frame goes unsplit to payload buffers
  std::uint16_t in_front = 0;       ///< bytes in front of the payload in the payload buffer: the headers when unsplit
  pcie::Purpose headers = pcie::Purpose::header;  ///< `control` for a segment of TCP without payload
  net::Layer3 layer3 = net::Layer3::other;
  net::Layer4 layer4 = net::Layer4::none;
  bool error = false;
  Instant ready{};  ///< when its first DMA may start
};

/// Takes a buffer for each piece of a frame and writes header, payload and completion. Frames that find no buffer wait
/// in the FIFO; those behind them in other queues pass. A frame that takes more buffers than are read ahead has the
/// rest of them read, as a packet may span any number of descriptors in real NICs (Intel 82598EB datasheet, 3.5.2).
class RxQueue {
 public:
  RxQueue(Context& nic, QueueIndex index);

  void buffers_posted(std::uint32_t producer, Instant now, device::Outbox& out);
  void descriptors_read(const Cookie& cookie, pcie::Status status, Instant now, device::Outbox& out);
  void frame(const RxFrame& frame, Instant now, device::Outbox& out);
  /// Gives up a frame that is in the FIFO.
  void drop(const RxFrame& frame, Drop why, Instant now);
  CompletionWriter& completions() { return completions_; }

  bool running() const { return running_; }
  bool starved() const { return !waiting_.empty(); }
  /// Ends all DMA and forgets the ring; waiting frames are dropped.
  void stop(Instant now);
  /// Begins with an empty ring at index 0, at the places that the queue memory names now.
  void start();

 private:
  void serve(Instant now, device::Outbox& out);
  /// Writes a frame if there are buffers for it; else asks for their descriptors.
  bool take(const RxFrame& frame, Instant now, device::Outbox& out);
  void write(const RxFrame& frame, std::uint32_t buffers, Bytes buffer_size, Instant now, device::Outbox& out);

  Context* nic_;
  QueueIndex index_;
  QueueRings* rings_;
  DescriptorFetch fetch_;
  CompletionWriter completions_;
  Ring<RxFrame> waiting_;
  bool running_ = true;
  std::uint8_t epoch_ = 0;
};

}  // namespace peerpath::nic
