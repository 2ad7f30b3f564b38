// A PCIe port of a SystemC module: a pair of TLM-2.0 sockets, one for each direction of requests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tlm>

#include "peerpath/device/function_config.hpp"
#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/link_config.hpp"
#include "peerpath/sc/outlet.hpp"

namespace peerpath::platform {
struct Port;
}  // namespace peerpath::platform

namespace peerpath::sc {

class BlockingCaller;
class ForeignEndpoint;

/// One port. Two ports of peerpath modules are joined by `bind`: requests of both sides then travel in the domain's
/// fabric, and the sockets only say who is bound to whom. A foreign TLM-2.0 component is bound by its initiator socket,
/// its target socket, or both, and then is an endpoint of the fabric by itself.
///
/// Foreign initiators: base protocol, b_transport (blocks until the write has arrived or the read is answered) or
/// nb_transport. A write is posted. No byte enables and no streaming: they are answered with the errors that TLM-2.0
/// has for them.
/// Foreign targets: base protocol, each request at the exact time at which the fabric delivers it; the target's
/// response time is when the data is ready. Extensions of a foreign initiator's payload reach a foreign target, and
/// come back. Debug transport and direct memory access reach the memory at an address without going through the fabric.
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
  /// Binds a foreign target that answers at these bus addresses; it may have a socket of any width.
  template <TargetSocket S>
  void bind(S& target, Window window, const TargetOptions& options = {}) {
    outlet_ = bind_target(socket_name("out"), target, *this);
    windows.push_back(window);
    set_options(options);
  }
  /// Binds a foreign initiator; it may have a socket of any width.
  template <InitiatorSocket S>
  void bind(S& initiator) {
    inlet_ = bind_initiator(socket_name("in"), initiator, *this);
  }

  /// Joins two ports through a foreign component that stands between them: a bridge, a monitor, a cache. What goes from
  /// here to beyond `peer` enters it by `from_here` and leaves it by `to_peer`, the other way by `from_peer` and
  /// `to_here`. A PCIe link is on each of its sides. It has to keep the extensions of what it passes on.
  template <TargetSocket FromHere, InitiatorSocket ToPeer, TargetSocket FromPeer, InitiatorSocket ToHere>
  void bind_through(PciePort& peer, FromHere& from_here, ToPeer& to_peer, FromPeer& from_peer, ToHere& to_here,
                    const LinkConfig& config = {}) {
    outlet_ = bind_target(socket_name("out"), from_here, *this);
    inlet_ = bind_initiator(socket_name("in"), to_here, *this);
    peer.outlet_ = bind_target(peer.socket_name("out"), from_peer, peer);
    peer.inlet_ = bind_initiator(peer.socket_name("in"), to_peer, peer);
    link = peer.link = config;
    beyond_ = &peer;
    peer.beyond_ = this;
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
  /// The port beyond the foreign component that stands before this one, or nullptr.
  PciePort* beyond() const { return beyond_; }
  /// Whether something that is not a PciePort is bound.
  bool foreign() const;
  /// Whether the foreign target sees offsets into its windows.
  bool offsets() const { return options_.offsets; }
  /// The endpoint that the foreign side is or will be: where our devices may be told to read and write.
  fabric::NodeId foreign_node();
  /// Makes an endpoint of the foreign side; at the end of elaboration.
  void adopt();
  ForeignEndpoint* adopted() { return foreign_.get(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  /// A name for a socket made later, outside of the module: the port's with its module's.
  std::string socket_name(const char* side) const;
  void set_options(const TargetOptions& options);
  tlm::tlm_fw_transport_if<>* target() const;
  tlm::tlm_bw_transport_if<>* initiator() const;

  PciePort(const std::string& name, Domain& domain, std::unique_ptr<platform::Port>&& own);
  PciePort(const std::string& name, Domain& domain, std::unique_ptr<platform::Port>&& own, platform::Port& plain);

  Domain& domain_;
  std::unique_ptr<platform::Port> own_;
  platform::Port& plain_;
  std::string name_;
  std::optional<Outlet> outlet_;
  std::optional<Inlet> inlet_;
  std::optional<fabric::NodeId> foreign_node_;
  TargetOptions options_;
  PciePort* beyond_ = nullptr;
  std::unique_ptr<BlockingCaller> caller_;
  std::unique_ptr<ForeignEndpoint> foreign_;
};

}  // namespace peerpath::sc
