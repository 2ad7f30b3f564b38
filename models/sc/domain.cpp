#include "peerpath/sc/domain.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <utility>

#include "core/pcie/address_map.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/sc/pcie_port.hpp"
#include "peerpath/sc/time.hpp"
#include "sc/foreign_endpoint.hpp"
#include "sc/memory_map.hpp"
#include "sc/reactor.hpp"
#include "sc/unloaded.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* report_type = "peerpath/domain";

}  // namespace

/// What has been built so far. Foreign endpoints see each delivery at their nodes, and so does the observer.
struct Domain::Parts final : fabric::DeliverySink {
  void deliver(const fabric::Delivery& delivery) override {
    if (observer != nullptr) observer->deliver(delivery);
    if (auto* foreign = map.foreign_at(delivery.target)) foreign->see(delivery);
  }

  DomainConfig config;
  fabric::Topology topology;
  std::vector<PciePort*> ports;
  std::map<const PciePort*, fabric::LinkId> links;
  MemoryMap map;
  fabric::DeliverySink* observer = nullptr;
  std::map<std::pair<fabric::NodeId, fabric::NodeId>, UnloadedLatency> latencies;
  std::function<void(const fabric::Topology&, fabric::Fabric&)> when_built;
  struct Turns {
    const PciePort *ingress, *egress;
    int turns;
  };
  std::vector<Turns> turns;
  Bytes max_payload{128};  ///< of the hierarchy
  bool wires = false;
  bool initiators = false;  ///< there is a foreign one
  bool changed = false;     ///< an action has run
};

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
  return reactor_->attach(device, place);
}

fabric::ChannelIndex Domain::first_channel(DeviceIndex device) const { return reactor_->slot(device).first_channel(); }

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
  reactor_->slot(port.device).add_source(port.number, source);
}

void Domain::join(EthernetPort a, EthernetPort b, Wire wire) {
  parts_->wires = true;
  reactor_->slot(a.device).join(a.number, reactor_->slot(b.device), b.number, wire);
  reactor_->slot(b.device).join(b.number, reactor_->slot(a.device), a.number, wire);
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

MemoryMap& Domain::memory_map() { return parts_->map; }

bool Domain::gives_direct_access() const { return parts_->config.direct_memory && !parts_->changed; }

bool Domain::direct_access(fabric::NodeId from, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (!gives_direct_access()) {
    dmi.init();
    dmi.allow_read_write();  // with the answer false: the accesses that are denied
    return false;
  }
  const auto address = payload.get_address();
  if (!parts_->map.direct(payload, dmi)) return false;
  const auto to = parts_->map.find(address)->node;
  auto found = parts_->latencies.find({from, to});
  if (found == parts_->latencies.end())
    found = parts_->latencies.emplace(std::pair{from, to}, unloaded_latency(parts_->topology, from, to)).first;
  dmi.set_read_latency(dmi.get_read_latency() + to_sc_time(found->second.read));
  dmi.set_write_latency(dmi.get_write_latency() + to_sc_time(found->second.write));
  return true;
}

void Domain::invalidate(fabric::NodeId node, std::uint64_t first, std::uint64_t last) {
  for (const auto& claim : parts_->map.claims()) {
    if (claim.node != node || !claim.memory) continue;
    const auto base = claim.window.base - claim.shift, end = base + claim.window.size - 1;
    if (first > end || last < base) continue;
    for (const auto& [other, foreign] : parts_->map.foreign())
      foreign->invalidate(std::max(first, base) + claim.shift, std::min(last, end) + claim.shift);
  }
}

void Domain::adopt(fabric::NodeId node, ForeignEndpoint& foreign) {
  parts_->map.add(node, foreign);
  parts_->initiators |= foreign.initiates();
  reactor_->observe(parts_.get());
}

/// Makes an endpoint of the foreign component bound to the port.
void Domain::adopt(PciePort& port) {
  const auto& function = port.function;
  const auto node = add_endpoint(port.name() + "_foreign", {.max_payload = function.max_payload,
                                                            .max_read_request = function.max_read_request,
                                                            .max_completion = function.max_payload,
                                                            .tags = function.tags,
                                                            .completion_timeout = function.completion_timeout,
                                                            .external = true});
  port.adopt(node);
  adopt(node, *port.adopted());
  attach(*port.adopted(), {.node = node, .hears_arrivals = true});
  for (const auto& window : port.windows)
    parts_->map.add({window, node, true, port.offsets() ? window.base : std::uint64_t{0}});
}

void Domain::add_links() {
  for (auto* port : parts_->ports)
    if (port->foreign()) adopt(*port);
  // System software gives one MPS to a whole hierarchy; inside the root complex there is none.
  Bytes& max_payload = parts_->max_payload;
  for (auto* port : parts_->ports) {
    const auto& node = parts_->topology.nodes[port->node().value()];
    const auto mps = port->foreign()    ? port->function.max_payload
                     : node.is_endpoint ? node.endpoint.max_payload
                                        : Bytes{0};
    if (!port->link.internal) max_payload = std::max(max_payload, mps);
  }
  for (auto* port : parts_->ports) {
    if (parts_->links.contains(port)) continue;
    auto direction = link_direction(port->link, max_payload);
    if (port->foreign()) {
      auto back = direction;
      back.gate = port->gate;
      parts_->links[port] = connect(port->node(), port->adopted()->node(), direction, back);
      parts_->topology.links.back().vc1_classes = port->link.vc1_classes;
    } else if (auto* peer = port->peer()) {
      auto back = link_direction(peer->link, max_payload);
      direction.gate = peer->gate;
      back.gate = port->gate;
      parts_->links[port] = parts_->links[peer] = connect(port->node(), peer->node(), direction, back);
      parts_->topology.links.back().vc1_classes = port->link.vc1_classes;
    }
  }
}

void Domain::end_of_elaboration() {
  add_links();
  for (const auto& [ingress, egress, turns] : parts_->turns)
    parts_->topology.weights.push_back({ingress->node(), link_of(*ingress), link_of(*egress), turns});
  std::string wrong;
  for (const auto& problem : fabric::validate(parts_->topology)) wrong.append("\n  ").append(problem);
  if (!wrong.empty()) SC_REPORT_FATAL(report_type, ("a domain that cannot be simulated:" + wrong).c_str());
  // Devices touch each other through the fabric and by Ethernet alone; foreign processes may do as they please.
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
