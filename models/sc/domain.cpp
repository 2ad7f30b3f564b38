#include "peerpath/sc/domain.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/pcie/address_map.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/sc/time.hpp"
#include "sc/domain_parts.hpp"
#include "sc/reactor.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* report_type = "peerpath/domain";

}  // namespace

Domain::Domain(const sc_core::sc_module_name& name, DomainConfig config)
    : sc_core::sc_module{name}, parts_{std::make_unique<Parts>()}, reactor_{std::make_unique<Reactor>()} {
  if (!femtosecond_resolution())
    SC_REPORT_FATAL(report_type,
                    "SystemC must count in femtoseconds: call peerpath::sc::set_femtosecond_resolution() "
                    "first in sc_main");
  parts_->config = config;
  parts_->topology.seed = config.seed;
  SC_HAS_PROCESS(Domain);
  SC_METHOD(wake_devices);
  sensitive << wake_;
  SC_METHOD(compute);
  sensitive << go_;
}

Domain::~Domain() = default;

fabric::NodeId Domain::add_router(const std::string& name, const fabric::Router& router) {
  return parts_->topology.add_router(name, router);
}

fabric::NodeId Domain::add_endpoint(const std::string& name, const fabric::Endpoint& endpoint) {
  return parts_->topology.add_endpoint(name, endpoint);
}

fabric::LinkId Domain::connect(fabric::NodeId a, fabric::NodeId b, const fabric::LinkDirection& a_to_b,
                               const fabric::LinkDirection& b_to_a) {
  return parts_->topology.connect(a, b, a_to_b, b_to_a);
}

DeviceIndex Domain::attach(device::Endpoint& device, const Place& place) {
  for (const auto& window : place.windows) map(place.node, window);
  parts_->devices.push_back({&device, place});
  return DeviceIndex{static_cast<std::uint16_t>(parts_->devices.size() - 1)};
}

fabric::ChannelIndex Domain::first_channel(DeviceIndex device) const {
  const auto& devices = parts_->devices;
  int first = 1;
  for (std::size_t i = 0; i < device.value(); ++i)
    if (devices[i].place.node == devices[device.value()].place.node) first += devices[i].place.channels;
  return fabric::ChannelIndex{static_cast<std::uint16_t>(first)};
}

void Domain::map(fabric::NodeId node, Window window, bool memory) { parts_->map.add({window, node, memory}); }

BusAddress Domain::place(fabric::NodeId node, Bytes size, bool prefetchable, std::optional<BusAddress> fixed) {
  const auto bytes = std::bit_ceil(static_cast<std::uint64_t>(std::max(size, Bytes{4096}).count()));
  std::uint64_t base = (prefetchable ? pcie::AddressMap::high_base : pcie::AddressMap::low_base).value();
  base = (base + bytes - 1) / bytes * bytes;
  while (!fixed && parts_->map.overlaps(base, bytes)) base += bytes;
  if (fixed) base = fixed->value();
  map(node, {base, bytes}, prefetchable);
  return BusAddress{base};
}

fabric::Endpoint& Domain::endpoint(fabric::NodeId node) { return parts_->topology.nodes[node.value()].endpoint; }
void Domain::rename(fabric::NodeId node, const std::string& name) { parts_->topology.nodes[node.value()].name = name; }

void Domain::feed(EthernetPort port, device::FrameSource& source) {
  parts_->plug.emplace_back([this, port, &source] { reactor_->slot(port.device).add_source(port.number, source); });
}

void Domain::join(EthernetPort a, EthernetPort b, Wire wire) {
  parts_->wires = true;
  parts_->plug.emplace_back([this, a, b, wire] {
    reactor_->slot(a.device).join(a.number, reactor_->slot(b.device), b.number, wire);
    reactor_->slot(b.device).join(b.number, reactor_->slot(a.device), a.number, wire);
  });
}

void Domain::at(Instant when, std::function<void(fabric::Fabric&)> action) {
  reactor_->at(when, [this, action = std::move(action)](fabric::Fabric& fabric) {
    action(fabric);
    if (std::exchange(parts_->changed, true)) return;
    for (const auto& [node, foreign] : parts_->map.foreign())
      foreign->invalidate(0, std::numeric_limits<std::uint64_t>::max());
  });
}
void Domain::tamper(std::function<bool(fabric::NodeId, fabric::Transaction&)> change) {
  parts_->tamper = change;
  reactor_->tamper(std::move(change));
}
void Domain::check_protocol(fabric::TlpObserver* further) { reactor_->check_protocol(further); }
std::vector<std::string> Domain::violations() const { return reactor_->violations(); }
void Domain::weigh(const PciePort& ingress, const PciePort& egress, int turns) {
  parts_->turns.push_back({&ingress, &egress, turns});
}
void Domain::allow_strays() { parts_->topology.strays = true; }
void Domain::observe(fabric::DeliverySink* sink) {
  parts_->observer = sink;
  reactor_->observe(parts_->map.foreign().empty() ? sink : parts_.get());
}
void Domain::when_built(std::function<void(const fabric::Topology&, fabric::Fabric&)> call) {
  parts_->when_built = std::move(call);
}
void Domain::add_port(PciePort& port) { parts_->ports.push_back(&port); }
const fabric::Topology& Domain::topology() const { return parts_->topology; }
fabric::Fabric& Domain::fabric() { return reactor_->fabric(); }

fabric::LinkId Domain::link_of(const PciePort& port) const {
  const auto found = parts_->links.find(&port);
  require(found != parts_->links.end(), "a port that nothing is bound to has no link");
  return found->second;
}

fabric::LineTiming Domain::timing(const PciePort& port, pcie::LinkShape shape) const {
  auto link = port.link;
  link.shape = shape;
  const auto direction = link_direction(link, parts_->max_payload);
  return {direction.rate, direction.framing, direction.ack_interval, direction.fc_interval};
}

void Domain::attach_devices() {
  for (auto& [device, place, guide] : parts_->devices) {
    const bool foreign =
        std::ranges::any_of(parts_->map.foreign(), [&](const auto& entry) { return entry.second == device; });
    if (parts_->passages.any() && !foreign)
      guide = std::make_unique<Guide>(*device, place, parts_->passages, parts_->map);
    reactor_->attach(guide ? *guide : *device, place);
  }
  for (const auto& plug : parts_->plug) plug();
}

void Domain::end_of_elaboration() {
  add_links();
  attach_devices();
  for (const auto& [ingress, egress, turns] : parts_->turns)
    parts_->topology.weights.push_back({ingress->node(), link_of(*ingress), link_of(*egress), turns});
  std::string wrong;
  for (const auto& problem : fabric::validate(parts_->topology)) wrong.append("\n  ").append(problem);
  if (!wrong.empty()) SC_REPORT_FATAL(report_type, ("a domain that cannot be simulated:" + wrong).c_str());
  // Devices touch each other through the fabric and by Ethernet alone; foreign processes may do as they please.
  if (parts_->passages.any()) parts_->passages.prepare(parts_->topology);
  if (parts_->initiators) {
    // A foreign component may act on whatever reaches it: the fabric computes no further.
    reactor_->tamper([this](fabric::NodeId node, fabric::Transaction& transaction) {
      if (parts_->tamper && !parts_->tamper(node, transaction)) return false;
      const auto* foreign = parts_->map.foreign_at(transaction.target);
      transaction.notify_target |= foreign != nullptr && foreign->alone();
      return true;
    });
  }
  const bool foreign = !parts_->map.foreign().empty();
  parts_->topology.reconfigures = false;
  parts_->topology.side_latency = foreign || parts_->wires ? Duration{0} : Duration{std::chrono::hours{1}};
  reactor_->prepare(parts_->topology, parts_->config.mode, foreign);
  if (parts_->when_built) parts_->when_built(parts_->topology, reactor_->fabric());
}

void Domain::submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  reactor_->submit(node, channel, transaction);
  if (idle_) go_.notify(sc_core::SC_ZERO_TIME);
}

void Domain::touch() {
  arm_wake(reactor_->next_event(), now());
  if (idle_ && reactor_->in_flight() != 0) go_.notify(sc_core::SC_ZERO_TIME);
}

void Domain::arm_wake(Instant next, Instant present) {
  if (next >= wake_time_) return;  // an event that comes too early finds nothing to do
  wake_time_ = next;
  wake_.notify(to_sc_time(std::max(next, present) - present));
}

void Domain::wake_devices() {
  const auto present = now();
  wake_time_ = never;
  if (!std::exchange(started_, true)) reactor_->start();
  arm_wake(reactor_->react(present), present);
  if (idle_ && reactor_->in_flight() != 0) go_.notify(sc_core::SC_ZERO_TIME);
}

Instant Domain::limit() const {
  const auto present = now();
  Instant limit = std::min(present + parts_->config.quantum, reactor_->bound());
  const bool foreign_acts =
      parts_->initiators || std::ranges::any_of(parts_->map.foreign(), [](const auto& f) { return f.second->owes(); });
  if (foreign_acts && sc_core::sc_pending_activity_at_future_time())
    limit = std::min(limit, present + to_duration(sc_core::sc_time_to_pending_activity()));
  return limit;
}

void Domain::compute() {
  // Whoever acts at this instant does so first: what they submit belongs to the batch that starts now.
  if (sc_core::sc_pending_activity_at_current_time()) {
    go_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  const auto present = now();
  idle_ = reactor_->in_flight() == 0;
  if (idle_) return;
  if (reactor_->horizon() <= present) {
    reactor_->advance(limit());
    arm_wake(reactor_->next_event(), present);
  }
  go_.notify(to_sc_time(reactor_->horizon() - present));
}

void Domain::settle() {
  const auto present = now();
  while (reactor_->horizon() < present) reactor_->advance(present);
  arm_wake(reactor_->next_event(), present);
}

}  // namespace peerpath::sc
