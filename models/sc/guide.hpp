// Stands before a device of a domain that has foreign components between its ports.
#pragma once

#include "peerpath/device/endpoint.hpp"
#include "peerpath/sc/place.hpp"
#include "sc/memory_map.hpp"
#include "sc/passages.hpp"

namespace peerpath::sc {

/// Sends what has to pass a foreign component there, and shows the device what comes of it as if nobody were between:
/// a posted transaction has arrived when its target has it, and its target learns who sent it.
class Guide final : public device::Endpoint, private device::Outbox {
 public:
  Guide(device::Endpoint& device, const Place& place, Passages& passages, const MemoryMap& map)
      : device_{device}, place_{place}, passages_{passages}, map_{map} {}

  /// All of a posted transaction is at its target.
  void arrived(std::uint64_t number, const fabric::Delivery& last);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_computed(const fabric::Delivery& delivery) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox&) override { device_.on_wake(timer, now, *this); }
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox&) override {
    device_.on_frame(port, frame, now, *this);
  }

 private:
  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) override;
  void respond(fabric::RequestId request, Instant ready, pcie::Status status) override {
    out_->respond(request, ready, status);
  }
  void wake_at(device::TimerId timer, Instant when) override { out_->wake_at(timer, when); }
  void transmit(int port, const device::Frame& frame, Instant when) override { out_->transmit(port, frame, when); }
  /// The passage of what this device has sent, or nullptr.
  Passage* sent(const fabric::Delivery& delivery);

  device::Endpoint& device_;
  const Place place_;
  Passages& passages_;
  const MemoryMap& map_;
  device::Outbox* out_ = nullptr;
};

}  // namespace peerpath::sc
