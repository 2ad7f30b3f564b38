// A PCIe port of a SystemC module: a pair of TLM-2.0 sockets, one for each direction of requests.
#pragma once

#include <memory>
#include <string>
#include <tlm>

#include "peerpath/device/config.hpp"
#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/link_config.hpp"

namespace peerpath::platform {
struct Port;
}  // namespace peerpath::platform

namespace peerpath::sc {

class ForeignEndpoint;

/// One port. Two ports of peerpath modules are joined by `bind`: requests of both sides then travel in the domain's
/// fabric, and the sockets only say who is bound to whom. A foreign TLM-2.0 initiator is bound to `in`, a foreign
/// target to `out`; either of them (or one component with both) then is an endpoint of the fabric by itself.
///
/// Foreign initiators: base protocol, b_transport (blocks until the write has arrived or the read is answered) or
/// nb_transport. A write is posted. No byte enables, no streaming, no DMI; transport_dbg is answered with 0 bytes.
/// Foreign targets: base protocol through nb_transport_fw, one request of the fabric at a time, each at the exact time
/// at which the fabric delivers it; the target's response time is when the data is ready.
class PciePort final : public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
 public:
  /// A port of the module under construction, for node `node`.
  PciePort(const std::string& name, Domain& domain, fabric::NodeId node);
  /// The sockets of a port that the domain knows already.
  PciePort(const std::string& name, Domain& domain, platform::Port& plain);
  ~PciePort() override;
  PciePort(const PciePort&) = delete;
  PciePort& operator=(const PciePort&) = delete;

  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> in;
  tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> out;

  /// Joins two ports by a link.
  void bind(PciePort& peer, const LinkConfig& config = {});
  /// Binds a foreign target that answers at these bus addresses.
  void bind(tlm::tlm_target_socket<>& target, Window window) {
    out.bind(target);
    windows.push_back(window);
  }

  fabric::Gate*& gate;                ///< asked about what comes in by this port; set before the end of elaboration
  LinkConfig& link;                   ///< to a foreign peer; `bind` sets it
  device::FunctionConfig function{};  ///< of a foreign peer: how it splits what it sends, and its tags
  std::vector<Window> windows{};      ///< bus addresses at which a foreign target answers, as it sees them itself

  /// The same port without SystemC.
  platform::Port& plain() { return plain_; }
  const platform::Port& plain() const { return plain_; }
  fabric::NodeId node() const;
  const std::string& name() const { return name_; }
  /// The port bound to this one, or nullptr.
  PciePort* peer() const;
  /// Whether something that is not a PciePort is bound.
  bool foreign() const;
  /// Makes an endpoint of the foreign side; at the end of elaboration.
  void adopt(fabric::NodeId foreign_node);
  ForeignEndpoint* adopted() { return foreign_.get(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  PciePort(const std::string& name, Domain& domain, std::unique_ptr<platform::Port>&& own);
  PciePort(const std::string& name, Domain& domain, std::unique_ptr<platform::Port>&& own, platform::Port& plain);

  Domain& domain_;
  std::unique_ptr<platform::Port> own_;
  platform::Port& plain_;
  std::string name_;
  std::unique_ptr<ForeignEndpoint> foreign_;
};

}  // namespace peerpath::sc
