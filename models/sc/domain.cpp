#include "peerpath/sc/domain.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "peerpath/sc/pcie_port.hpp"
#include "peerpath/sc/time.hpp"
#include "platform/domain.hpp"
#include "sc/foreign_endpoint.hpp"
#include "sc/memory_image.hpp"
#include "sc/shell.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* report_type = "peerpath/domain";

}  // namespace

/// What has been built so far.
struct Domain::Parts {
  explicit Parts(const DomainConfig& config) : plain{config.mode, config.seed} {}

  platform::Domain plain;
  std::vector<PciePort*> ports;
  std::deque<platform::Port> far;  ///< foreign ends of links; a deque, as ports do not move
  std::map<fabric::NodeId, ForeignEndpoint*> foreign;
  std::map<fabric::NodeId, MemoryImage> images;
  std::function<void(const fabric::Topology&, fabric::Fabric&)> when_built;
  bool initiators = false;  ///< a foreign one is among `foreign`
};

Domain::Domain(const sc_core::sc_module_name& name, DomainConfig config)
    : sc_core::sc_module{name},
      parts_{std::make_unique<Parts>(config)},
      shell_{std::make_unique<Shell>("shell", parts_->plain.reactor(), config.quantum)} {
  // A foreign initiator may act at any SystemC event, a target that owes an answer likewise.
  shell_->heed([this] {
    return parts_->initiators || std::ranges::any_of(parts_->foreign, [](const auto& f) { return f.second->owes(); });
  });
}

Domain::~Domain() = default;

platform::Domain& Domain::plain() { return parts_->plain; }

fabric::NodeId Domain::add_router(const std::string& name, const fabric::Router& router) {
  return plain().add_router(name, router);
}

fabric::NodeId Domain::add_endpoint(const std::string& name, const fabric::Endpoint& endpoint) {
  return plain().add_endpoint(name, endpoint);
}

fabric::LinkId Domain::connect(fabric::NodeId a, fabric::NodeId b, const fabric::LinkDirection& a_to_b,
                               const fabric::LinkDirection& b_to_a) {
  return plain().connect(a, b, a_to_b, b_to_a);
}

DeviceIndex Domain::attach(device::Endpoint& device, const Place& place) { return plain().attach(device, place); }

fabric::ChannelIndex Domain::first_channel(DeviceIndex device) const { return parts_->plain.first_channel(device); }

void Domain::map(fabric::NodeId node, Window window) { plain().claim({window, node}); }

BusAddress Domain::place(fabric::NodeId node, Bytes size, bool prefetchable, std::optional<BusAddress> fixed) {
  return plain().place(node, size, prefetchable, fixed);
}

fabric::Endpoint& Domain::endpoint(fabric::NodeId node) { return plain().endpoint(node); }
void Domain::rename(fabric::NodeId node, const std::string& name) { plain().rename(node, name); }
void Domain::feed(EthernetPort port, device::FrameSource& source) { plain().feed(port, source); }
void Domain::join(EthernetPort a, EthernetPort b, Wire wire) { plain().join(a, b, wire); }

void Domain::at(Instant when, std::function<void(fabric::Fabric&)> action) {
  plain().reactor().at(when, std::move(action));
}
void Domain::tamper(std::function<bool(fabric::NodeId, fabric::Transaction&)> change) {
  plain().reactor().tamper(std::move(change));
}
void Domain::check_protocol(fabric::TlpObserver* further) { plain().reactor().check_protocol(further); }
std::vector<std::string> Domain::violations() const { return parts_->plain.reactor().violations(); }
void Domain::weigh(const PciePort& ingress, const PciePort& egress, int turns) {
  plain().weigh(ingress.plain(), egress.plain(), turns);
}
void Domain::allow_strays() { plain().allow_strays(); }
void Domain::observe(fabric::DeliverySink* sink) { plain().reactor().observe(sink); }
void Domain::when_built(std::function<void(const fabric::Topology&, fabric::Fabric&)> call) {
  parts_->when_built = std::move(call);
}
void Domain::add_port(PciePort& port) { parts_->ports.push_back(&port); }
const fabric::Topology& Domain::topology() const { return parts_->plain.topology(); }
fabric::Fabric& Domain::fabric() { return plain().fabric(); }
fabric::LinkId Domain::link_of(const PciePort& port) const { return parts_->plain.link_of(port.plain()); }

fabric::LineTiming Domain::timing(const PciePort& port, pcie::LinkShape shape) const {
  return parts_->plain.timing(port.plain(), shape);
}

std::optional<fabric::NodeId> Domain::find(std::uint64_t address) const {
  for (const auto& claim : parts_->plain.claims())
    if (claim.window.contains(address)) return claim.node;
  return std::nullopt;
}

ForeignEndpoint* Domain::foreign_at(fabric::NodeId node) const {
  const auto found = parts_->foreign.find(node);
  return found == parts_->foreign.end() ? nullptr : found->second;
}

MemoryImage& Domain::image(fabric::NodeId node) { return parts_->images[node]; }

/// Makes an endpoint of the foreign component bound to the port, and links it.
void Domain::adopt(PciePort& port) {
  const auto& function = port.function;
  const auto node = add_endpoint(port.name() + "_foreign", {.max_payload = function.max_payload,
                                                            .max_read_request = function.max_read_request,
                                                            .max_completion = function.max_payload,
                                                            .tags = function.tags,
                                                            .completion_timeout = function.completion_timeout,
                                                            .external = true});
  port.adopt(node);
  parts_->foreign[node] = port.adopted();
  parts_->initiators |= port.adopted()->initiates();
  attach(*port.adopted(), {.node = node, .hears_arrivals = true});
  for (const auto& window : port.windows) map(node, window);
  auto& far = parts_->far.emplace_back(node);
  far.link = port.link;
  far.peer = &port.plain();
  port.plain().peer = &far;
}

void Domain::end_of_elaboration() {
  for (auto* port : parts_->ports)  // sockets may have been bound without PciePort::bind
    if (auto* peer = port->peer()) port->plain().peer = &peer->plain();
  plain().complete();
  Bytes max_payload{128};
  for (auto* port : parts_->ports) {
    if (!port->foreign()) continue;
    adopt(*port);
    if (!port->link.internal) max_payload = std::max(max_payload, port->function.max_payload);
  }
  plain().link(max_payload);
  std::string wrong;
  for (const auto& problem : plain().build(!parts_->foreign.empty())) wrong.append("\n  ").append(problem);
  if (!wrong.empty()) SC_REPORT_FATAL(report_type, ("a domain that cannot be simulated:" + wrong).c_str());
  if (parts_->when_built) parts_->when_built(topology(), fabric());
}

void Domain::submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  plain().reactor().submit(node, channel, transaction);
  shell_->submitted();
}

void Domain::touch() { shell_->touch(); }
void Domain::settle() { shell_->settle(); }

}  // namespace peerpath::sc
