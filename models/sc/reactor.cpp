#include "sc/reactor.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::sc {

DeviceIndex Reactor::attach(device::Endpoint& device, Place place) {
  require(fabric_ == nullptr, "devices are attached before the simulation starts");
  const std::size_t node = place.node.value();
  if (node >= by_node_.size()) by_node_.resize(node + 1);
  int first = 1;
  for (const auto* other : by_node_[node]) first += other->place().channels;
  slots_.push_back(std::make_unique<DeviceSlot>(*this, device, std::move(place), first));
  by_node_[node].push_back(slots_.back().get());
  return DeviceIndex{static_cast<std::uint16_t>(slots_.size() - 1)};
}

void Reactor::prepare(const fabric::Topology& topology, fabric::Mode mode, bool foreign) {
  auto parts = topology;
  by_node_.resize(parts.nodes.size());
  for (std::size_t node = 0; node < parts.nodes.size(); ++node) {
    if (foreign) parts.nodes[node].endpoint.reaction = {};
    for (auto* slot : by_node_[node]) slot->promise(parts.nodes[node].endpoint.reaction);
  }
  fabric_ = fabric::make_fabric(parts, *this, mode);
}

void Reactor::start() {
  for (const auto& slot : slots_) slot->start(horizon_);
}

Instant Reactor::next_event() const {
  Instant next = actions_.empty() ? never : actions_.begin()->first;
  for (const auto& slot : slots_) next = std::min(next, slot->next());
  return next;
}

Instant Reactor::bound() const {
  Instant bound = actions_.empty() ? never : actions_.begin()->first;
  for (const auto& slot : slots_) bound = std::min(bound, slot->bound());
  return bound;
}

void Reactor::react(Instant now) {
  while (true) {
    DeviceSlot* first = nullptr;
    Instant next = now;
    for (const auto& slot : slots_) {
      if (slot->next() < next || (first == nullptr && slot->next() == next)) {
        first = slot.get();
        next = slot->next();
      }
    }
    if (!actions_.empty() && actions_.begin()->first <= next) {
      // What a link or route does from now on, it must not do to what was to start before.
      while (horizon_ < actions_.begin()->first) advance(actions_.begin()->first);
      const auto action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action(*fabric_);
    } else if (first != nullptr) {
      first->step();
    } else {
      return;
    }
  }
}

void Reactor::submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  require(transaction.ready >= horizon_, "a submission before the horizon: its node promises too long a reaction");
  ++in_flight_;
  fabric_->submit(node, channel, transaction);
}

void Reactor::respond(fabric::RequestId request, Instant ready, pcie::Status status) {
  require(ready >= horizon_, "a device answers before the horizon");
  fabric_->respond(request, ready, status);
}

void Reactor::deliver(const fabric::Delivery& delivery) {
  if (delivery.kind != fabric::DeliveryKind::requested) --in_flight_;
  if (observer_ != nullptr) observer_->deliver(delivery);
  auto* poster = delivery.kind == fabric::DeliveryKind::arrived ? requester(delivery.requester, delivery.channel) : nullptr;
  if (poster != nullptr) poster->computed(delivery);
  if (!delivery.notify) return;
  if (delivery.kind == fabric::DeliveryKind::completed) {
    if (auto* slot = requester(delivery.requester, delivery.channel)) slot->notice(delivery, true);
    return;
  }
  if (auto* slot = completer(delivery.target, delivery.address)) slot->notice(delivery, false);
  if (poster != nullptr && poster->place().hears_arrivals) poster->notice(delivery, true);
}

DeviceSlot* Reactor::completer(fabric::NodeId node, std::uint64_t address) const {
  DeviceSlot* catch_all = nullptr;
  for (auto* slot : by_node_[node.value()]) {
    if (slot->claims(address)) return slot;
    if (slot->place().windows.empty() && catch_all == nullptr) catch_all = slot;
  }
  return catch_all;
}

DeviceSlot* Reactor::requester(fabric::NodeId node, fabric::ChannelIndex channel) const {
  for (auto* slot : by_node_[node.value()])
    if (slot->owns(node, channel)) return slot;
  return nullptr;
}

}  // namespace peerpath::sc
