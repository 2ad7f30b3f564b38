#include "peerpath/sc/domain.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sc/domain_parts.hpp"
#include "sc/shell.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* report_type = "peerpath/domain";

}  // namespace

Domain::Domain(const sc_core::sc_module_name& name, DomainConfig config)
    : sc_core::sc_module{name},
      parts_{std::make_unique<Parts>(config)},
      shell_{std::make_unique<Shell>("shell", parts_->plain.reactor(), config.quantum)} {
  // A foreign initiator may act at any SystemC event, a target that owes an answer likewise.
  shell_->heed([this] {
    return parts_->initiators ||
           std::ranges::any_of(parts_->map.foreign(), [](const auto& f) { return f.second->owes(); });
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

void Domain::map(fabric::NodeId node, Window window, bool memory) { plain().claim({window, node, memory}); }

BusAddress Domain::place(fabric::NodeId node, Bytes size, bool prefetchable, std::optional<BusAddress> fixed) {
  return plain().place(node, size, prefetchable, fixed);
}

fabric::Endpoint& Domain::endpoint(fabric::NodeId node) { return plain().endpoint(node); }
void Domain::rename(fabric::NodeId node, const std::string& name) { plain().rename(node, name); }
void Domain::feed(EthernetPort port, device::FrameSource& source) { plain().feed(port, source); }
void Domain::join(EthernetPort a, EthernetPort b, Wire wire) { plain().join(a, b, wire); }

void Domain::at(Instant when, std::function<void(fabric::Fabric&)> action) {
  plain().reactor().at(when, [this, action = std::move(action)](fabric::Fabric& fabric) {
    action(fabric);
    if (std::exchange(parts_->changed, true)) return;
    for (const auto& [node, foreign] : parts_->map.foreign())
      foreign->invalidate(0, std::numeric_limits<std::uint64_t>::max());
  });
}
void Domain::tamper(std::function<bool(fabric::NodeId, fabric::Transaction&)> change) {
  parts_->tamper = change;
  plain().reactor().tamper(std::move(change));
}
void Domain::check_protocol(fabric::TlpObserver* further) {
  plain().reactor().watch({.checker = true, .observer = further});
}
std::vector<std::string> Domain::violations() const { return parts_->plain.reactor().violations(); }
void Domain::weigh(const PciePort& ingress, const PciePort& egress, int turns) {
  plain().weigh(ingress.plain(), egress.plain(), turns);
}
void Domain::allow_strays() { plain().allow_strays(); }
void Domain::observe(fabric::DeliverySink* sink) {
  parts_->observer = sink;
  plain().reactor().observe(parts_->map.foreign().empty() ? sink : parts_.get());
}
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

void Domain::end_of_elaboration() {
  join_ports();
  plain().complete();
  add_links();
  plain().guide([this](device::Endpoint& device, const Place& place) -> device::Endpoint& {
    const bool foreign =
        std::ranges::any_of(parts_->map.foreign(), [&](const auto& entry) { return entry.second == &device; });
    if (!parts_->passages.any() || foreign) return device;
    return *parts_->guides.emplace_back(std::make_unique<Guide>(device, place, parts_->passages, parts_->map));
  });
  if (parts_->initiators) {
    // A foreign component may act on whatever reaches it: the fabric computes no further.
    plain().reactor().tamper([this](fabric::NodeId node, fabric::Transaction& transaction) {
      if (parts_->tamper && !parts_->tamper(node, transaction)) return false;
      const auto* foreign = parts_->map.foreign_at(transaction.target);
      transaction.notify_target |= foreign != nullptr && foreign->alone();
      return true;
    });
  }
  std::string wrong;
  for (const auto& problem : plain().build(!parts_->map.foreign().empty())) wrong.append("\n  ").append(problem);
  if (!wrong.empty()) SC_REPORT_FATAL(report_type, ("a domain that cannot be simulated:" + wrong).c_str());
  if (parts_->passages.any()) parts_->passages.prepare(topology());
  if (parts_->when_built) parts_->when_built(topology(), fabric());
}

void Domain::submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  plain().reactor().submit(node, channel, transaction);
  shell_->submitted();
}

void Domain::touch() { shell_->touch(); }
void Domain::settle() { shell_->settle(); }

}  // namespace peerpath::sc
