#include "peerpath/sc/pcie_port.hpp"

#include "platform/domain.hpp"
#include "sc/foreign_endpoint.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* report_type = "peerpath/pcie_port";

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

PciePort* PciePort::peer() const {
  auto& self = const_cast<PciePort&>(*this);  // sockets give their interfaces to owners only
  if (self.out.size() != 0) return dynamic_cast<PciePort*>(self.out[0]);
  if (self.in.get_base_port().size() != 0) return dynamic_cast<PciePort*>(self.in.get_base_port()[0]);
  return nullptr;
}

bool PciePort::foreign() const {
  auto& self = const_cast<PciePort&>(*this);
  return peer() == nullptr && (self.out.size() != 0 || self.in.get_base_port().size() != 0);
}

void PciePort::adopt(fabric::NodeId foreign_node) {
  tlm::tlm_fw_transport_if<>* target = out.size() != 0 ? out[0] : nullptr;
  tlm::tlm_bw_transport_if<>* initiator = in.get_base_port().size() != 0 ? in.get_base_port()[0] : nullptr;
  foreign_ = std::make_unique<ForeignEndpoint>(domain_, foreign_node, target, initiator);
}

void PciePort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(report_type, "requests of peerpath modules travel in the fabric, not by sockets");
  foreign_->blocking_request(payload, delay);
}

tlm::tlm_sync_enum PciePort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(report_type, "requests of peerpath modules travel in the fabric, not by sockets");
  return foreign_->request(payload, phase, delay);
}

tlm::tlm_sync_enum PciePort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(report_type, "a response that nobody asked for");
  return foreign_->response(payload, phase, delay);
}

}  // namespace peerpath::sc
