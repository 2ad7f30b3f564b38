#include "loop/reactor.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::loop {

DeviceIndex Reactor::attach(device::Endpoint& device, Place place) {
  require(!started_, "devices are attached before the simulation starts");
  const std::size_t node = place.node.value();
  if (node >= nodes_.size()) nodes_.resize(node + 1);
  int first = 1;
  for (const auto* other : nodes_[node].slots) first += other->place().channels;
  slots_.push_back(std::make_unique<DeviceSlot>(*this, device, std::move(place), first));
  nodes_[node].slots.push_back(slots_.back().get());
  return DeviceIndex{static_cast<std::uint16_t>(slots_.size() - 1)};
}

void Reactor::join(EthernetPort a, EthernetPort b, Wire wire) {
  slot(a.device).join(a.number, slot(b.device), b.number, wire);
  slot(b.device).join(b.number, slot(a.device), a.number, wire);
}

void Reactor::prepare(const fabric::Topology& topology, fabric::Mode mode, bool foreign) {
  auto parts = topology;
  nodes_.resize(std::max(nodes_.size(), parts.nodes.size()));
  for (std::size_t node = 0; node < parts.nodes.size(); ++node) {
    auto& endpoint = parts.nodes[node].endpoint;
    if (foreign) endpoint.reaction = {};
    nodes_[node].reaction = endpoint.reaction;
    nodes_[node].channels = static_cast<std::size_t>(endpoint.channels);
  }
  fabric_ = fabric::make_fabric(parts, *this, mode);
  if (watchers_.any()) watch_ = std::make_unique<TlpWatch>(topology, *fabric_, watchers_);
}

void Reactor::prepare(const MakeFabric& make) { fabric_ = make(*this); }

void Reactor::start() {
  if (std::exchange(started_, true)) return;
  for (auto& [slots, by_channel, by_address, channels, reaction] : nodes_) {
    for (const auto* slot : slots)
      channels =
          std::max(channels, static_cast<std::size_t>(slot->first_channel().value() + slot->place().channels) - 1);
    by_channel.assign(channels + 1, nullptr);
    for (auto* slot : slots) {
      slot->promise(reaction);
      by_address |= !slot->place().windows.empty();
      const auto first = slot->first_channel().value();
      std::fill_n(by_channel.begin() + first, slot->place().channels, slot);
    }
  }
  for (const auto& slot : slots_) slot->start(horizon_);
}

void Reactor::at(Instant when, Action action) {
  actions_.emplace(when, std::move(action));
  next_action_ = actions_.begin()->first;
}

Instant Reactor::next_event() const {
  Instant next = next_action_;
  for (const auto& slot : slots_) next = std::min(next, slot->next());
  return next;
}

Instant Reactor::bound() const {
  Instant bound = next_action_;
  for (const auto& slot : slots_) bound = std::min(bound, slot->bound());
  return bound;
}

Instant Reactor::react(Instant now) {
  while (true) {
    DeviceSlot* first = nullptr;
    Instant next = never;
    for (const auto& slot : slots_) {
      if (slot->next() < next) {
        first = slot.get();
        next = slot->next();
      }
    }
    const Instant due = std::min(next, next_action_);
    if (due > now) return due;
    if (next_action_ <= next)
      act();
    else
      first->step();
  }
}

void Reactor::act() {
  // What a link or route does from now on, it must not do to what was to start before.
  while (horizon_ < next_action_) advance(next_action_);
  const auto action = std::move(actions_.begin()->second);
  actions_.erase(actions_.begin());
  next_action_ = actions_.empty() ? never : actions_.begin()->first;
  action(*fabric_);
}

void Reactor::submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  require(transaction.ready >= horizon_, "a submission before the horizon: the node declared too long a reaction time");
  if (tamper_ || watch_ || (accounts_ != nullptr && transaction.purpose == pcie::Purpose::payload))
    return submit_changed(node, channel, transaction);
  ++in_flight_;
  fabric_->submit(node, channel, transaction);
}

void Reactor::submit_changed(fabric::NodeId node, fabric::ChannelIndex channel, fabric::Transaction transaction) {
  if (tamper_ && !tamper_(node, transaction)) return;
  if (accounts_ != nullptr && transaction.purpose == pcie::Purpose::payload)
    transaction.account = accounts_->account_of(node, channel, transaction);
  ++in_flight_;
  if (watch_) transaction.cookie = watch_->number(transaction);
  fabric_->submit(node, channel, transaction);
}

void Reactor::respond(fabric::RequestId request, Instant ready, pcie::Status status) {
  require(ready >= horizon_, "a device answers before the horizon");
  fabric_->respond(request, ready, status);
}

void Reactor::deliver(const fabric::Delivery& delivery) {
  if (watch_) return deliver_watched(delivery);
  pass_on(delivery);
}

void Reactor::deliver_watched(const fabric::Delivery& delivery) {
  auto as_asked = delivery;
  as_asked.cookie = watch_->cookie(delivery);
  pass_on(as_asked);
}

void Reactor::pass_on(const fabric::Delivery& delivery) {
  if (delivery.kind == fabric::DeliveryKind::sent) return pass_on_sent(delivery);
  if (delivery.kind != fabric::DeliveryKind::requested) --in_flight_;
  if (observer_ != nullptr) observer_->deliver(delivery);
  DeviceSlot* poster = nullptr;
  if (delivery.kind == fabric::DeliveryKind::arrived) {
    poster = requester(delivery.requester, delivery.channel);
    if (poster != nullptr) poster->computed(delivery);
  }
  if (!delivery.notify) return;
  if (delivery.kind == fabric::DeliveryKind::completed) {
    if (auto* slot = requester(delivery.requester, delivery.channel)) slot->notice(delivery, true);
    return;
  }
  // Who refused it, or never got it, does nothing about it.
  if (delivery.status == pcie::Status::success)
    if (auto* slot = completer(delivery.target, delivery.address)) slot->notice(delivery, false);
  if (poster != nullptr && poster->place().hears_arrivals) poster->notice(delivery, true);
}

/// What a device posted has left it.
void Reactor::pass_on_sent(const fabric::Delivery& delivery) {
  auto* slot = requester(delivery.requester, delivery.channel);
  if (slot == nullptr) return;
  if (delivery.notify)
    slot->notice(delivery, true);
  else
    slot->computed(delivery);
}

DeviceSlot* Reactor::completer(fabric::NodeId node, std::uint64_t address) const {
  if (node.value() >= nodes_.size()) return nullptr;
  const auto& at = nodes_[node.value()];
  DeviceSlot* catch_all = nullptr;
  for (auto* slot : at.slots) {
    if (slot->place().only_asks) continue;
    if (!at.by_address || slot->claims(address)) return slot;
    if (slot->place().windows.empty() && catch_all == nullptr) catch_all = slot;
  }
  return catch_all;
}

DeviceSlot* Reactor::requester(fabric::NodeId node, fabric::ChannelIndex channel) const {
  return nodes_[node.value()].by_channel[channel.value()];
}

}  // namespace peerpath::loop
