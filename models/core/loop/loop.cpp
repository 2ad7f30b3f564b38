#include "core/loop/loop.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"

namespace peerpath::loop {

/// What one device sees of the loop.
class Loop::DeviceOutbox final : public device::Outbox {
 public:
  DeviceOutbox(Loop& loop, int device, Instant now) : loop_{loop}, device_{device}, now_{now} {}

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) override {
    auto& self = loop_.devices_[index()];
    require(channel.value() >= 1 && channel.value() <= self.place.channels, "a device submits on a channel it lacks");
    require(transaction.ready >= loop_.now_,
            "a device submits before the horizon: its node promises too long a reaction");
    loop_.fabric_->submit(self.place.node,
                          fabric::ChannelIndex{static_cast<std::uint16_t>(self.first_channel + channel.value() - 1)},
                          transaction);
  }

  void respond(fabric::RequestId request, Instant ready, pcie::Status status) override {
    require(ready >= loop_.now_, "a device answers before the horizon");
    loop_.fabric_->respond(request, ready, status);
  }

  void wake_at(device::TimerId timer, Instant when) override {
    require(when >= now_, "a device sets a timer in the past");
    auto& pending = loop_.devices_[index()].timers[timer];
    pending = when;
    if (when != never) loop_.push(when, device_, Wake{timer});
  }

  void transmit(int port, const device::Frame& frame, Instant when) override {
    require(when >= now_, "a device sends a frame in the past");
    const auto found = loop_.wires_.find({device_, port});
    if (found == loop_.wires_.end()) return;  // nothing plugged in: the frame is lost
    auto& [to, wire, free] = found->second;
    const Instant start = std::max(when, free);
    free = start + net::wire_size(frame.size) / wire.rate;
    const Instant last_bit = start + (net::preamble + net::padded(frame.size) + net::fcs) / wire.rate + wire.latency;
    loop_.push(last_bit, to.device.value(), Arrival{to.number, no_source, frame});
  }

 private:
  std::size_t index() const { return static_cast<std::size_t>(device_); }

  Loop& loop_;
  int device_;
  Instant now_;
};

/// Everything that decides which of two events comes first; unused places are 0.
auto Loop::Event::order() const {
  std::array<std::uint64_t, 6> key{};
  if (const auto* d = std::get_if<fabric::Delivery>(&what)) {
    key = {static_cast<std::uint64_t>(d->kind),
           d->requester.value(),
           d->channel.value(),
           d->cookie,
           d->address,
           d->request.value()};
  } else if (const auto* a = std::get_if<Arrival>(&what)) {
    key = {static_cast<std::uint64_t>(a->port), a->source + 1};
  } else if (const auto* w = std::get_if<Wake>(&what)) {
    key = {w->timer.value()};
  }
  return std::tuple{time, device, what.index(), key, sequence};
}

bool Loop::Later::operator()(const Event& a, const Event& b) const {
  if (a.time != b.time) return a.time > b.time;
  return a.order() > b.order();
}

Loop::Loop(const MakeFabric& make, Duration quantum) : fabric_{make(*this)}, quantum_{quantum} {
  require(quantum > Duration{0}, "the quantum must be longer than nothing");
}

Loop::Loop(const fabric::Topology& topology, fabric::Mode mode, Duration quantum)
    : Loop{[&](fabric::DeliverySink& sink) { return fabric::make_fabric(topology, sink, mode); }, quantum} {}

DeviceIndex Loop::add(device::Endpoint& device, const Place& place) {
  require(!started_, "devices are added before the loop runs");
  int first = 1;
  for (const auto& other : devices_)
    if (other.place.node == place.node) first += other.place.channels;
  devices_.push_back({&device, place, first, {}});
  return DeviceIndex{static_cast<std::uint16_t>(devices_.size() - 1)};
}

void Loop::connect(Port a, Port b, Wire wire) {
  wires_[{a.device.value(), a.number}] = {b, wire, {}};
  wires_[{b.device.value(), b.number}] = {a, wire, {}};
}

void Loop::feed(Port port, device::FrameSource& source) {
  sources_.push_back({port, &source});
  pull(sources_.size() - 1);
}

void Loop::at(Instant when, Action action) {
  require(when >= now_, "an action is scheduled in the past");
  push(when, -1, std::move(action));
}

fabric::ChannelIndex Loop::first_channel(DeviceIndex device) const {
  return fabric::ChannelIndex{static_cast<std::uint16_t>(devices_[device.value()].first_channel)};
}

void Loop::run_until(Instant end) {
  if (!started_) {
    started_ = true;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      DeviceOutbox out{*this, static_cast<int>(i), now_};
      devices_[i].device->start(out);
    }
    process_until(now_);
  }
  while (now_ < end) {
    Instant limit = end - now_ > quantum_ ? now_ + quantum_ : end;
    if (!events_.empty()) limit = std::min(limit, events_.top().time);
    now_ = fabric_->advance(limit);
    process_until(now_);
  }
}

void Loop::process_until(Instant horizon) {
  while (!events_.empty() && events_.top().time <= horizon) {
    Event event = events_.top();
    events_.pop();
    handle(event);
  }
}

void Loop::handle(Event& event) {
  if (auto* action = std::get_if<Action>(&event.what)) {
    (*action)(*fabric_);
    return;
  }
  auto& self = devices_[static_cast<std::size_t>(event.device)];
  DeviceOutbox out{*this, event.device, event.time};
  if (const auto* delivery = std::get_if<fabric::Delivery>(&event.what)) {
    self.device->on_delivery(*delivery, out);
  } else if (const auto* arrival = std::get_if<Arrival>(&event.what)) {
    self.device->on_frame(arrival->port, arrival->frame, event.time, out);
    if (arrival->source != no_source) pull(arrival->source);
  } else {
    const auto timer = std::get<Wake>(event.what).timer;
    auto& pending = self.timers[timer];
    if (pending != event.time) return;  // replaced or cancelled since
    pending = never;
    self.device->on_wake(timer, event.time, out);
  }
}

void Loop::deliver(const fabric::Delivery& delivery) {
  if (observer_ != nullptr) observer_->deliver(delivery);
  const bool posted = delivery.kind == fabric::DeliveryKind::arrived;
  if (delivery.kind != fabric::DeliveryKind::requested) {
    const int device = requester(delivery.requester, delivery.channel);
    if (device >= 0) {
      const auto& self = devices_[static_cast<std::size_t>(device)];
      auto seen = delivery;
      seen.channel =
          fabric::ChannelIndex{static_cast<std::uint16_t>(delivery.channel.value() - self.first_channel + 1)};
      if (posted) self.device->on_computed(seen);
      if (delivery.notify && (!posted || self.place.hears_arrivals)) push(delivery.done, device, seen);
    }
  }
  if (!delivery.notify || delivery.kind == fabric::DeliveryKind::completed) return;
  const int device = completer(delivery.target, delivery.address);
  if (device >= 0) push(delivery.done, device, delivery);
}

void Loop::push(Instant time, int device, decltype(Event::what) what) {
  events_.push({time, device, std::move(what), pushed_++});
}

void Loop::pull(std::size_t source) {
  const auto& [port, frames] = sources_[source];
  if (const auto next = frames->next()) {
    require(next->last_bit >= now_, "a frame source goes back in time");
    push(next->last_bit, port.device.value(), Arrival{port.number, source, next->frame});
  }
}

int Loop::completer(fabric::NodeId node, std::uint64_t address) const {
  int catch_all = -1;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const auto& place = devices_[i].place;
    if (place.node != node) continue;
    if (std::ranges::any_of(place.windows, [&](const Window& w) { return w.contains(address); }))
      return static_cast<int>(i);
    if (place.windows.empty() && catch_all < 0) catch_all = static_cast<int>(i);
  }
  return catch_all;
}

int Loop::requester(fabric::NodeId node, fabric::ChannelIndex channel) const {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const auto& [device, place, first, timers] = devices_[i];
    if (place.node == node && channel.value() >= first && channel.value() < first + place.channels)
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace peerpath::loop
