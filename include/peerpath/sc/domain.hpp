// One PCIe domain in SystemC: gathers what its modules are and how their ports are bound, and computes their traffic.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "peerpath/base/address.hpp"
#include "peerpath/device/endpoint.hpp"
#include "peerpath/device/frame_source.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/pcie/link_shape.hpp"
#include "peerpath/sc/place.hpp"

namespace peerpath::platform {
class Domain;
}  // namespace peerpath::platform

namespace peerpath::sc {

class ForeignEndpoint;
class MemoryMap;
class Passages;
class PciePort;
class Shell;

/// How a domain computes. None of it changes results, but for `seed` and what goes by `direct_memory`.
struct DomainConfig {
  fabric::Mode mode = fabric::Mode::train;
  Duration quantum = std::chrono::microseconds{10};  ///< longest batch of the fabric
  std::uint64_t seed = 0;                            ///< of the read jitter of its memories
  /// Whether foreign initiators get pointers to memory (DMI). What they do by them is in no link and no count.
  bool direct_memory = true;
};

/// Hosts the fabric of one PCIe domain. Modules are made with a reference to their domain and bound to each other by
/// their ports; at the end of elaboration the domain makes one fabric of them all. From then on a shell drives devices
/// and fabric from SystemC's event queue.
///
/// A foreign SystemC process in the domain (an initiator, or a target with a request to answer) promises nothing, so
/// with one the fabric never computes past the next pending SystemC event.
class Domain final : public sc_core::sc_module {
 public:
  explicit Domain(const sc_core::sc_module_name& name, DomainConfig config = {});
  ~Domain() override;

  /// @name Building, before the end of elaboration
  /// @{
  fabric::NodeId add_router(const std::string& name, const fabric::Router& router);
  fabric::NodeId add_endpoint(const std::string& name, const fabric::Endpoint& endpoint);
  /// A link that no ports are bound for.
  fabric::LinkId connect(fabric::NodeId a, fabric::NodeId b, const fabric::LinkDirection& a_to_b,
                         const fabric::LinkDirection& b_to_a);
  /// The device must outlive the domain.
  DeviceIndex attach(device::Endpoint& device, const Place& place);
  /// Of the channels that the device has at its endpoint.
  fabric::ChannelIndex first_channel(DeviceIndex device) const;
  /// Says which node answers for these addresses; foreign initiators are routed by it. `memory`: bytes are kept there,
  /// and reading them has no effect, so that debug transport and pointers may reach them.
  void map(fabric::NodeId node, Window window, bool memory = false);
  /// Gives a BAR its place: at `fixed`, or where there is room, aligned to its size; prefetchable ones, which are
  /// memory, above 1 TiB, the others below 4 GiB.
  BusAddress place(fabric::NodeId node, Bytes size, bool prefetchable, std::optional<BusAddress> fixed = {});
  /// An endpoint as it stands so far, to be changed before the end of elaboration.
  fabric::Endpoint& endpoint(fabric::NodeId node);
  /// How the node is called in results, instead of by its module's name.
  void rename(fabric::NodeId node, const std::string& name);
  /// Frames of `source` arrive at the port. The source must outlive the domain; a port may have several.
  void feed(EthernetPort port, device::FrameSource& source);
  /// Joins two Ethernet ports, both ways.
  void join(EthernetPort a, EthernetPort b, Wire wire);
  /// Runs `action` at `when`, before any device: a link taken down, a route changed.
  void at(Instant when, std::function<void(fabric::Fabric&)> action);
  /// Asks `change` about each transaction before it is submitted: it may change it, or answer false, and it is none.
  void tamper(std::function<bool(fabric::NodeId, fabric::Transaction&)> change);
  /// Holds all TLPs against the rules of the protocol; `violations` afterwards. `further` sees the TLPs too.
  void check_protocol(fabric::TlpObserver* further);
  std::vector<std::string> violations() const;
  /// Two ports of one router: what came by the first has so many turns in a row where the second sends.
  void weigh(const PciePort& ingress, const PciePort& egress, int turns);
  /// Routes may end at endpoints that are not the target.
  void allow_strays();
  /// Sends every delivery, with or without notice, to `sink` as it is computed (nullptr: nobody).
  void observe(fabric::DeliverySink* sink);
  /// Is called when the fabric is made, before anything happens in it: to attach a TLP observer, or to learn names.
  void when_built(std::function<void(const fabric::Topology&, fabric::Fabric&)> call);
  /// @}

  /// The link that a port is an end of; after the end of elaboration.
  fabric::LinkId link_of(const PciePort& port) const;
  /// What the port's link has in the direction away from it once it has trained to this shape.
  fabric::LineTiming timing(const PciePort& port, pcie::LinkShape shape) const;
  const fabric::Topology& topology() const;
  fabric::Fabric& fabric();

  /// Computes what is left until SystemC's present, so that counters are those of now.
  void settle();

  /// @name For modules of this library
  /// @{
  /// The same domain without SystemC.
  platform::Domain& plain();
  void add_port(PciePort& port);
  /// Queues a transaction on a node's channel, numbered as the fabric does; `ready` must not lie in the past.
  void submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction);
  /// A foreign endpoint on a node; before the end of elaboration, and it has to outlive the domain.
  void adopt(fabric::NodeId node, ForeignEndpoint& foreign);
  /// Who answers for which addresses.
  MemoryMap& memory_map();
  /// What goes through foreign components between our ports.
  Passages& passages();
  /// Whether pointers to memory are given: not after an action of `at`, which may have changed links or routes.
  bool gives_direct_access() const;
  /// DMI: a pointer to the memory at the payload's address, with the latencies that 64 B have from `from` to there and
  /// back while nothing else is under way, without root ports' gates and caches.
  bool direct_access(fabric::NodeId from, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  /// Pointers to what the foreign target of a node has at these addresses of its own are no longer valid.
  void invalidate(fabric::NodeId node, std::uint64_t first, std::uint64_t last);
  /// Something was asked of the domain from outside of its own processes.
  void touch();
  /// @}

 private:
  struct Parts;

  void end_of_elaboration() override;
  void adopt(PciePort& port);
  void link_through(PciePort& a, PciePort& b);
  void join_ports();
  void add_links();

  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Shell> shell_;
};

}  // namespace peerpath::sc
