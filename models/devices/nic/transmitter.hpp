// From transmit queues to the wire.
#pragma once

#include <vector>

#include "devices/nic/tx_queue.hpp"
#include "peerpath/base/ring.hpp"

namespace peerpath::nic {

/// Starts packets of all queues in turn while the transmit buffer has room, cuts them and sends the frames back to back
/// at the line rate.
class Transmitter {
 public:
  explicit Transmitter(Context& nic) : nic_{&nic} {}

  /// Sends what of a queue is at hand: after one of its reads.
  void send_ready(TxQueue& queue, Instant now, device::Outbox& out);
  /// Starts all that can be started at `now`.
  void serve(std::vector<TxQueue>& queues, Instant now, device::Outbox& out);
  /// Bytes of a queue that was stopped.
  void give_back(Bytes held) { held_ -= held; }
  /// As if nothing were under way.
  void clear() {
    held_ = Bytes{0};
    leaving_.clear();
  }
  /// For how long the wire has carried frames until `now`; what waits for it is not in it.
  Duration wire_busy(Instant now) const;

 private:
  bool start_one(std::vector<TxQueue>& queues, Instant now, device::Outbox& out);
  void send(const TxQueue::Ready& packet, Instant now, device::Outbox& out);
  bool has_room(Bytes packet, Instant now, device::Outbox& out);
  bool sensible(const TxDescriptor& descriptor) const;

  struct Leaving {
    Instant end{};
    Bytes bytes{};
    Duration on_wire{};  ///< up to `end`, without a gap
  };
  Context* nic_;
  std::size_t turn_ = 0;
  Instant wire_free_{};
  Bytes held_{};  ///< from the start of a packet's reads until its last bit has left
  Ring<Leaving> leaving_;
};

}  // namespace peerpath::nic
