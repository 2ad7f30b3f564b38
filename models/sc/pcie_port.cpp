#include "peerpath/sc/pcie_port.hpp"

#include <algorithm>

#include "platform/domain.hpp"
#include "sc/blocking_caller.hpp"
#include "sc/foreign_endpoint.hpp"
#include "sc/memory_map.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* port_report_type = "peerpath/pcie_port";

}  // namespace

PciePort::PciePort(const std::string& name, Domain& domain, std::unique_ptr<platform::Port>&& own,
                   platform::Port& plain)
    : in{(name + "_in").c_str()},
      out{(name + "_out").c_str()},
      gate{plain.gate},
      link{plain.link},
      domain_{domain},
      own_{std::move(own)},
      plain_{plain},
      name_{name} {
  in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  domain.add_port(*this);
}

PciePort::PciePort(const std::string& name, Domain& domain, platform::Port& plain)
    : PciePort{name, domain, nullptr, plain} {}

PciePort::PciePort(const std::string& name, Domain& domain, std::unique_ptr<platform::Port>&& own)
    : PciePort{name, domain, std::move(own), *own} {
  domain.plain().add_port(plain_);
}

PciePort::PciePort(const std::string& name, Domain& domain, fabric::NodeId node)
    : PciePort{name, domain, std::make_unique<platform::Port>(node)} {}

PciePort::~PciePort() = default;

void PciePort::bind(PciePort& peer, const LinkConfig& config) {
  platform::bind(plain_, peer.plain_, config);
  out.bind(peer.in);
  peer.out.bind(in);
}

fabric::NodeId PciePort::node() const { return plain_.node; }

std::string PciePort::socket_name(const char* side) const {
  std::string name = in.get_parent_object() != nullptr ? in.get_parent_object()->name() + ("_" + name_) : name_;
  std::ranges::replace(name, '.', '_');
  return name + "_" + side;
}

void PciePort::set_options(const TargetOptions& options) {
  options_ = options;
  if (options.blocking) caller_ = std::make_unique<BlockingCaller>(socket_name("caller").c_str());
}

tlm::tlm_fw_transport_if<>* PciePort::target() const {
  if (outlet_) return outlet_->other();
  auto& self = const_cast<PciePort&>(*this);  // sockets give their interfaces to owners only
  return self.out.size() != 0 ? self.out[0] : nullptr;
}

tlm::tlm_bw_transport_if<>* PciePort::initiator() const {
  if (inlet_) return inlet_->other();
  auto& self = const_cast<PciePort&>(*this);
  return self.in.get_base_port().size() != 0 ? self.in.get_base_port()[0] : nullptr;
}

PciePort* PciePort::peer() const {
  if (auto* other = target()) return dynamic_cast<PciePort*>(other);
  return dynamic_cast<PciePort*>(initiator());
}

bool PciePort::foreign() const { return peer() == nullptr && (target() != nullptr || initiator() != nullptr); }

fabric::NodeId PciePort::foreign_node() {
  if (!foreign_node_) foreign_node_ = domain_.add_endpoint(name_ + "_foreign", {});
  return *foreign_node_;
}

void PciePort::adopt() {
  ForeignSides sides{
      .initiator = initiator(), .options = options_, .caller = caller_.get(), .through = beyond_ != nullptr};
  if (auto* other = target()) sides.target = [other] { return other; };
  foreign_ = std::make_unique<ForeignEndpoint>(domain_, foreign_node(), std::move(sides));
}

void PciePort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(port_report_type, "requests between peerpath modules use the fabric, not sockets");
  foreign_->blocking_request(payload, delay);
}

tlm::tlm_sync_enum PciePort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(port_report_type, "requests between peerpath modules use the fabric, not sockets");
  return foreign_->request(payload, phase, delay);
}

tlm::tlm_sync_enum PciePort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(port_report_type, "a response that nobody asked for");
  return foreign_->response(payload, phase, delay);
}

bool PciePort::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return foreign_ != nullptr && domain_.direct_access(foreign_->node(), payload, dmi);
}

unsigned PciePort::transport_dbg(tlm::tlm_generic_payload& payload) {
  return foreign_ != nullptr ? domain_.memory_map().debug(foreign_->node(), payload) : 0;
}

void PciePort::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (foreign_ != nullptr) domain_.invalidate(foreign_->node(), first, last);
}

}  // namespace peerpath::sc
