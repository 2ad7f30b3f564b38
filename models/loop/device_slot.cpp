#include "loop/device_slot.hpp"

#include <algorithm>
#include <utility>

#include "loop/reactor.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"

namespace peerpath::loop {

DeviceSlot::DeviceSlot(Reactor& reactor, device::Endpoint& device, Place place, int first_channel)
    : reactor_{reactor}, device_{device}, place_{std::move(place)}, first_channel_{first_channel} {}

bool DeviceSlot::claims(std::uint64_t address) const {
  return std::ranges::any_of(place_.windows, [&](const Window& w) { return w.contains(address); });
}

void DeviceSlot::start(Instant now) {
  now_ = now;
  device_.start(*this);
}

/// With the channel as the device numbers it.
fabric::Delivery DeviceSlot::as_seen(const fabric::Delivery& delivery) const {
  auto seen = delivery;
  seen.channel = fabric::ChannelIndex{static_cast<std::uint16_t>(delivery.channel.value() - first_channel_ + 1)};
  return seen;
}

void DeviceSlot::add_source(int port, device::FrameSource& source) {
  pull(incoming_.emplace_back(Incoming{.port = port, .source = &source}));
  std::ranges::stable_sort(incoming_, {}, [](const Incoming& i) { return std::pair{i.port, i.source != nullptr}; });
  refresh_frames();
  refresh();
}

void DeviceSlot::receive(int port, const device::Frame& frame, Instant last_bit) {
  const auto wire = std::ranges::find_if(incoming_, [&](const Incoming& i) { return i.port == port && !i.source; });
  require(wire != incoming_.end(), "a frame arrives at a port without a wire");
  wire->waiting.push({last_bit, frame});
  next_frame_time_ = std::min(next_frame_time_, last_bit);
  next_ = std::min(next_, last_bit);
}

void DeviceSlot::join(int port, DeviceSlot& peer, int peer_port, Wire wire) {
  outgoing_.push_back({.port = port, .peer = &peer, .peer_port = peer_port, .wire = wire});
  peer.incoming_.insert(peer.incoming_.begin(), Incoming{.port = peer_port, .watch = wire.watch});
  std::ranges::stable_sort(peer.incoming_, {}, [](const Incoming& i) {
    return std::pair{i.port, i.source != nullptr};
  });
}

void DeviceSlot::pull(Incoming& incoming) {
  if (const auto next = incoming.source->next()) {
    require(next->last_bit >= now_, "a frame source goes back in time");
    incoming.waiting.push(*next);
  }
}

Instant DeviceSlot::bound() const {
  if (next_ == never) return never;
  const Instant bound = std::min(next_frame_time_, timers_.next());
  const auto done = deliveries_.next();
  return std::min(bound, never - done > reaction_ ? done + reaction_ : never);
}

DeviceSlot::Incoming* DeviceSlot::next_frame() {
  Incoming* first = nullptr;
  for (auto& incoming : incoming_)
    if (!incoming.waiting.empty() &&
        (first == nullptr || incoming.waiting.front().last_bit < first->waiting.front().last_bit))
      first = &incoming;
  return first;
}

void DeviceSlot::refresh_frames() {
  const auto* frame = next_frame();
  next_frame_time_ = frame == nullptr ? never : frame->waiting.front().last_bit;
}

void DeviceSlot::step() {
  now_ = next_;
  if (deliveries_.next() == now_) {
    const auto delivery = deliveries_.front();
    deliveries_.pop();
    device_.on_delivery(delivery, *this);
  } else if (next_frame_time_ == now_) {
    step_frame();
  } else {
    device_.on_wake(timers_.pop(), now_, *this);
  }
  refresh();
}

void DeviceSlot::step_frame() {
  auto& incoming = *next_frame();
  // Whatever the device makes come in meanwhile waits behind it.
  if (incoming.watch) incoming.watch(incoming.waiting.front());
  device_.on_frame(incoming.port, incoming.waiting.front().frame, now_, *this);
  incoming.waiting.pop();
  if (incoming.source != nullptr) pull(incoming);
  refresh_frames();
}

void DeviceSlot::submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  require(channel.value() >= 1 && channel.value() <= place_.channels, "a device submits on a channel it lacks");
  reactor_.submit(place_.node, fabric::ChannelIndex{static_cast<std::uint16_t>(first_channel_ + channel.value() - 1)},
                  transaction);
}

void DeviceSlot::respond(fabric::RequestId request, Instant ready, pcie::Status status) {
  reactor_.respond(request, ready, status);
}

void DeviceSlot::wake_at(device::TimerId timer, Instant when) {
  require(when >= now_, "a device sets a timer in the past");
  timers_.set(timer, when);
  refresh();
}

void DeviceSlot::transmit(int port, const device::Frame& frame, Instant when) {
  require(when >= now_, "a device sends a frame in the past");
  const auto found = std::ranges::find(outgoing_, port, &Outgoing::port);
  if (found == outgoing_.end()) return;  // nothing plugged in: the frame is lost
  auto& [number, peer, peer_port, wire, free] = *found;
  const Instant start = std::max(when, free);
  free = start + net::wire_size(frame.size) / wire.rate;
  const auto bits = net::preamble + net::padded(frame.size) + net::fcs;
  peer->receive(peer_port, frame, start + bits / wire.rate + wire.latency);
}

}  // namespace peerpath::loop
