#include "platform/domain.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/pcie/address_map.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::platform {

Domain::Domain(fabric::Mode mode, std::uint64_t seed) : mode_{mode} { topology_.seed = seed; }

DeviceIndex Domain::attach(device::Endpoint& device, const Place& place) {
  for (const auto& window : place.windows) claim({window, place.node});
  devices_.push_back({&device, place});
  return DeviceIndex{static_cast<std::uint16_t>(devices_.size() - 1)};
}

void Domain::replace(fabric::NodeId node, device::Endpoint& by) {
  const auto found = std::ranges::find(devices_, node, [](const Attached& a) { return a.place.node; });
  require(found != devices_.end(), "a device at this node");
  found->device = &by;
  found->place.hears_arrivals = true;
}

fabric::ChannelIndex Domain::first_channel(DeviceIndex device) const {
  int first = 1;
  for (std::size_t i = 0; i < device.value(); ++i)
    if (devices_[i].place.node == devices_[device.value()].place.node) first += devices_[i].place.channels;
  return fabric::ChannelIndex{static_cast<std::uint16_t>(first)};
}

BusAddress Domain::place(fabric::NodeId node, Bytes size, bool prefetchable, std::optional<BusAddress> fixed) {
  const auto bytes = std::bit_ceil(static_cast<std::uint64_t>(std::max(size, Bytes{4096}).count()));
  std::uint64_t base = (prefetchable ? pcie::AddressMap::high_base : pcie::AddressMap::low_base).value();
  const auto aligned = [bytes](std::uint64_t at) { return (at + bytes - 1) / bytes * bytes; };
  const auto host = [&](fabric::NodeId owner) { return scenario::host_of(topology_.nodes[owner.value()].name); };
  const auto in_the_way = [&, own = host(node)](const Claim& claim) {
    return base < claim.window.base + claim.window.size && claim.window.base < base + bytes && host(claim.node) == own;
  };
  base = fixed ? fixed->value() : aligned(base);
  if (!fixed)
    for (auto claim = claims_.begin(); (claim = std::ranges::find_if(claims_, in_the_way)) != claims_.end();)
      base = aligned(claim->window.base + claim->window.size);
  claim({{base, bytes}, node, prefetchable});
  return BusAddress{base};
}

void Domain::feed(EthernetPort port, device::FrameSource& source) {
  plugs_.emplace_back([this, port, &source] { reactor_.slot(port.device).add_source(port.number, source); });
}

void Domain::join(EthernetPort a, EthernetPort b, Wire wire) {
  nearest_ = std::min(nearest_, wire.latency + (net::preamble + net::min_frame + net::fcs) / wire.rate);
  plugs_.emplace_back([this, a, b, wire] { reactor_.join(a, b, wire); });
}

fabric::LinkId Domain::link_of(const Port& port) const {
  const auto found = links_.find(&port);
  require(found != links_.end(), "an unbound port has no link");
  return found->second;
}

fabric::LineTiming Domain::timing(const Port& port, pcie::LinkShape shape) const {
  auto link = port.link;
  link.shape = shape;
  const auto direction = link_direction(link, max_payloads_[port.node.value()]);
  return {direction.rate, direction.framing, direction.ack_interval, direction.fc_interval};
}

void Domain::complete() {
  for (const auto& call : to_complete_) call();
  to_complete_.clear();
}

std::vector<Bytes> Domain::max_payloads(Bytes least) const {
  std::vector<Bytes> sizes(topology_.nodes.size(), least);
  for (const auto* port : ports_) {
    const auto& node = topology_.nodes[port->node.value()];
    // Inside the root complex there is none.
    if (node.is_endpoint && !port->link.internal)
      sizes[port->node.value()] = std::max(sizes[port->node.value()], node.endpoint.max_payload);
  }
  for (bool changed = true; std::exchange(changed, false);)
    for (const auto* port : ports_) {
      if (port->peer == nullptr) continue;
      auto &here = sizes[port->node.value()], &there = sizes[port->peer->node.value()];
      changed = changed || here != there;
      here = there = std::max(here, there);
    }
  return sizes;
}

void Domain::link(Bytes max_payload) {
  max_payloads_ = max_payloads(max_payload);
  for (auto* port : ports_) {
    auto* peer = port->peer;
    if (peer == nullptr || links_.contains(port)) continue;
    const auto size = max_payloads_[port->node.value()];
    auto direction = link_direction(port->link, size), back = link_direction(peer->link, size);
    direction.gate = peer->gate;
    back.gate = port->gate;
    links_[port] = links_[peer] = connect(port->node, peer->node, direction, back);
    topology_.links.back().vc1_classes = port->link.vc1_classes;
  }
}

std::vector<std::string> Domain::build(bool foreign) {
  for (const auto& [device, place] : devices_) reactor_.attach(guide_ ? guide_(*device, place) : *device, place);
  for (const auto& plug : plugs_) plug();
  for (const auto& [ingress, egress, turns] : turns_)
    topology_.weights.push_back({ingress->node, link_of(*ingress), link_of(*egress), turns});
  if (auto problems = fabric::validate(topology_); !problems.empty()) return problems;
  // Devices touch each other through the fabric and by Ethernet alone; foreign processes may do as they please.
  topology_.reconfigures = false;
  topology_.side_latency = foreign ? Duration{0} : nearest_;
  reactor_.prepare(topology_, mode_, foreign);
  return {};
}

void Domain::make() {
  complete();
  link();
  std::string wrong;
  for (const auto& problem : build()) wrong += "\n  " + problem;
  if (!wrong.empty()) fail("a platform that cannot be simulated:" + wrong);
}

}  // namespace peerpath::platform
