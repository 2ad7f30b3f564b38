// A NIC that moves the messages of reliable connections between memory and wire.
#pragma once

#include <deque>
#include <vector>

#include "devices/gpunet_proxy/blocks.hpp"

namespace peerpath::proxy {

/// Where a NIC finds and puts things: payload in the GPU or in host memory, completions with whoever waits for them.
struct WirePlaces {
  fabric::NodeId memory{};
  std::uint64_t payload = 0;
  fabric::NodeId told{};
  std::uint64_t words = 0;
};

/// Work requests are done in the order of their doorbells: payload is read 4 KiB at a time, and goes out as it comes,
/// a frame each. The NIC at the other end of the wire writes it, then a completion; and it acknowledges the message,
/// for which the sender gets its completion. Nothing is lost; what a real transport does about losses is
/// models/transport/roce.
class WireEnd final : public device::Endpoint {
 public:
  WireEnd(const device::RdmaCosts& costs, const WirePlaces& places, std::vector<Lane*> lanes)
      : costs_{costs}, places_{places}, lanes_{std::move(lanes)} {}

  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

 private:
  struct Request {
    std::size_t lane = 0;
    Bytes size{}, issued{}, read{};
    Instant ready{};
  };
  void fetch(Instant now, device::Outbox& out);
  void complete(std::size_t lane, Word::What what, Instant now, device::Outbox& out);

  device::RdmaCosts costs_;
  WirePlaces places_;
  std::vector<Lane*> lanes_;
  std::deque<Request> requests_;
  Bytes in_flight_{};
};

}  // namespace peerpath::proxy
