#include "peerpath/sc/pcie_port.hpp"

#include "sc/foreign_endpoint.hpp"

namespace peerpath::sc {
namespace {

constexpr const char* port_report_type = "peerpath/pcie_port";

}  // namespace

PciePort::PciePort(const std::string& name, Domain& domain, fabric::NodeId node)
    : in{(name + "_in").c_str()}, out{(name + "_out").c_str()}, domain_{domain}, node_{node}, name_{name} {
  in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  domain.add_port(*this);
}

PciePort::~PciePort() = default;

void PciePort::bind(PciePort& peer, const LinkConfig& config) {
  link = peer.link = config;
  link.tlp_gap = Bytes{};
  if (config.error_sequence) {  // each direction has its own
    link.error_sequence = 2 * *config.error_sequence;
    peer.link.error_sequence = 2 * *config.error_sequence + 1;
  }
  out.bind(peer.in);
  peer.out.bind(in);
}

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
  if (!foreign_) SC_REPORT_FATAL(port_report_type, "requests of peerpath modules travel in the fabric, not by sockets");
  foreign_->blocking_request(payload, delay);
}

tlm::tlm_sync_enum PciePort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(port_report_type, "requests of peerpath modules travel in the fabric, not by sockets");
  return foreign_->request(payload, phase, delay);
}

tlm::tlm_sync_enum PciePort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (!foreign_) SC_REPORT_FATAL(port_report_type, "a response that nobody asked for");
  return foreign_->response(payload, phase, delay);
}

}  // namespace peerpath::sc
