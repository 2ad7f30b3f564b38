// One device as the reactor keeps it: what waits to happen to it, and the outbox that it fills.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "loop/delivery_ring.hpp"
#include "loop/timer_queue.hpp"
#include "peerpath/base/ring.hpp"
#include "peerpath/device/endpoint.hpp"
#include "peerpath/device/frame_source.hpp"
#include "peerpath/device/place.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::loop {

using device::DeviceIndex;
using device::EthernetPort;
using device::Place;
using device::Window;
using device::Wire;

class Reactor;

/// Holds the deliveries, frames and timers of one device, and hands them to it one at a time: of those at one instant
/// deliveries first, then frames, then timers.
class DeviceSlot final : public device::Outbox {
 public:
  DeviceSlot(Reactor& reactor, device::Endpoint& device, Place place, int first_channel);

  const Place& place() const { return place_; }
  fabric::ChannelIndex first_channel() const {
    return fabric::ChannelIndex{static_cast<std::uint16_t>(first_channel_)};
  }
  bool claims(std::uint64_t address) const;
  /// The device promises to submit nothing because of a delivery earlier than `reaction` after it.
  void promise(Duration reaction) { reaction_ = reaction; }

  void start(Instant now);
  /// The arrival of something that the device posted has been computed.
  void computed(const fabric::Delivery& delivery) {
    if (first_channel_ == 1)
      device_.on_computed(delivery);
    else
      device_.on_computed(as_seen(delivery));
  }
  void notice(const fabric::Delivery& delivery, bool to_requester) {
    if (to_requester && first_channel_ != 1)
      deliveries_.insert(as_seen(delivery));
    else
      deliveries_.insert(delivery);
    next_ = std::min(next_, delivery.done);
  }
  void add_source(int port, device::FrameSource& source);
  void receive(int port, const device::Frame& frame, Instant last_bit);
  void join(int port, DeviceSlot& peer, int peer_port, Wire wire);

  /// When something happens next to this device.
  Instant next() const { return next_; }
  /// Before when the device certainly submits nothing.
  Instant bound() const;
  /// Hands over the next thing, which is due at `next()`.
  void step();

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) override;
  void respond(fabric::RequestId request, Instant ready, pcie::Status status) override;
  void wake_at(device::TimerId timer, Instant when) override;
  void transmit(int port, const device::Frame& frame, Instant when) override;

 private:
  /// Frames that come in at a port: from a source, or by a wire (source 0).
  struct Incoming {
    int port = 0;
    device::FrameSource* source = nullptr;
    Ring<device::FrameArrival> waiting{};
    std::function<void(const device::FrameArrival&)> watch{};  ///< of a wire
  };
  struct Outgoing {
    int port = 0;
    DeviceSlot* peer = nullptr;
    int peer_port = 0;
    Wire wire{};
    Instant free{};
  };

  fabric::Delivery as_seen(const fabric::Delivery& delivery) const;
  void pull(Incoming& incoming);
  Incoming* next_frame();
  void step_frame();
  void refresh_frames();
  void refresh() { next_ = std::min({next_frame_time_, timers_.next(), deliveries_.next()}); }

  Reactor& reactor_;
  device::Endpoint& device_;
  Place place_;
  int first_channel_;
  Duration reaction_{};
  Instant now_{};
  Instant next_ = never;
  Instant next_frame_time_ = never;
  DeliveryRing deliveries_;
  TimerQueue timers_;
  std::vector<Incoming> incoming_;
  std::vector<Outgoing> outgoing_;
};

}  // namespace peerpath::loop
