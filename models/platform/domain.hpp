// One PCIe domain: gathers what its devices are and how their ports are bound, and makes one fabric of them all.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loop/reactor.hpp"
#include "peerpath/base/address.hpp"
#include "peerpath/pcie/link_shape.hpp"
#include "platform/port.hpp"

namespace peerpath::platform {

using device::DeviceIndex;
using device::EthernetPort;
using device::Place;
using device::Window;
using device::Wire;

/// Addresses for which a node answers.
struct Claim {
  Window window;
  fabric::NodeId node;
  bool memory = false;      ///< reading and writing there does nothing but that, as in prefetchable BARs and DRAM
  std::uint64_t shift = 0;  ///< from addresses within that memory to bus addresses
};

/// Devices are made with a reference to their domain. When all are there and bound, `complete`, `link` and `build` make
/// the fabric; from then on the reactor is driven by whoever brings the time.
class Domain {
 public:
  /// `seed`: of the read jitter of its memories.
  Domain(fabric::Mode mode, std::uint64_t seed);
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  /// @name Before `build`
  /// @{
  fabric::NodeId add_router(const std::string& name, const fabric::Router& router) {
    return topology_.add_router(name, router);
  }
  fabric::NodeId add_endpoint(const std::string& name, const fabric::Endpoint& endpoint) {
    return topology_.add_endpoint(name, endpoint);
  }
  /// Links stand in the order in which their first port was added.
  void add_port(Port& port) { ports_.push_back(&port); }
  /// A link that no ports are bound for.
  fabric::LinkId connect(fabric::NodeId a, fabric::NodeId b, const fabric::LinkDirection& a_to_b,
                         const fabric::LinkDirection& b_to_a) {
    return topology_.connect(a, b, a_to_b, b_to_a);
  }
  /// The device must outlive the domain.
  DeviceIndex attach(device::Endpoint& device, const Place& place);
  /// Replaces the first device that was attached at a node. The new one is told when its posted writes arrive, and must
  /// outlive the domain.
  void replace(fabric::NodeId node, device::Endpoint& by);
  /// Of the channels that the device has at its endpoint.
  fabric::ChannelIndex first_channel(DeviceIndex device) const;
  /// Shows each device to `guide` when the fabric is made, and takes what it answers in its place.
  void guide(std::function<device::Endpoint&(device::Endpoint&, const Place&)> guide) { guide_ = std::move(guide); }
  /// Says who answers for addresses.
  void claim(const Claim& claim) { claims_.push_back(claim); }
  /// Gives a BAR its place: at `fixed`, or where there is room, aligned to its size; prefetchable ones, which are
  /// memory, above 1 TiB, the others below 4 GiB. Each host has an address space of its own.
  BusAddress place(fabric::NodeId node, Bytes size, bool prefetchable, std::optional<BusAddress> fixed = {});
  /// An endpoint as it stands so far, to be changed.
  fabric::Endpoint& endpoint(fabric::NodeId node) { return topology_.nodes[node.value()].endpoint; }
  /// How the node is called in results.
  void rename(fabric::NodeId node, const std::string& name) { topology_.nodes[node.value()].name = name; }
  /// Frames of `source` arrive at the port. The source must outlive the domain; a port may have several.
  void feed(EthernetPort port, device::FrameSource& source);
  /// Joins two Ethernet ports, both ways.
  void join(EthernetPort a, EthernetPort b, Wire wire);
  /// Two ports of one router: what came by the first has so many turns in a row where the second sends.
  void weigh(const Port& ingress, const Port& egress, int turns) { turns_.push_back({&ingress, &egress, turns}); }
  /// Routes may end at endpoints that are not the target.
  void allow_strays() { topology_.strays = true; }
  /// For so many the fabric counts data apart.
  void keep_accounts(std::size_t accounts) { topology_.accounts = accounts; }
  /// What is left to do when everything is bound and all that devices are asked for is known, in the order of the
  /// calls.
  void before_build(std::function<void()> call) { to_complete_.push_back(std::move(call)); }
  /// @}

  /// Runs what was left by `before_build`.
  void complete();
  /// Makes the links between bound ports. System software gives one MPS to all that is joined by links: the largest of
  /// its endpoints', at least `max_payload`.
  void link(Bytes max_payload = Bytes{128});
  /// Makes the fabric. `foreign`: processes that promise nothing act in the domain. Returns what is wrong with it; the
  /// fabric is there only if nothing is.
  std::vector<std::string> build(bool foreign = false);
  /// All three. What is wrong with it is our own bug: its scenario has been checked.
  void make();

  /// The link that a port is an end of; after `link`.
  fabric::LinkId link_of(const Port& port) const;
  /// What the port's link has in the direction away from it once it has trained to this shape.
  fabric::LineTiming timing(const Port& port, pcie::LinkShape shape) const;
  const std::vector<Claim>& claims() const { return claims_; }
  const fabric::Topology& topology() const { return topology_; }
  fabric::Fabric& fabric() { return reactor_.fabric(); }
  loop::Reactor& reactor() { return reactor_; }
  const loop::Reactor& reactor() const { return reactor_; }

 private:
  std::vector<Bytes> max_payloads(Bytes least) const;

  struct Turns {
    const Port *ingress, *egress;
    int turns;
  };
  struct Attached {
    device::Endpoint* device;
    Place place;
  };

  fabric::Mode mode_;
  fabric::Topology topology_;
  std::vector<Port*> ports_;
  std::map<const Port*, fabric::LinkId> links_;
  std::vector<Claim> claims_;
  std::vector<Attached> devices_;
  std::function<device::Endpoint&(device::Endpoint&, const Place&)> guide_;
  std::vector<std::function<void()>> plugs_;  ///< what is fed and joined, when the devices are at the reactor
  std::vector<Turns> turns_;
  std::vector<std::function<void()>> to_complete_;
  std::vector<Bytes> max_payloads_;          ///< by node: of the hierarchy that it belongs to
  Duration nearest_{std::chrono::hours{1}};  ///< least time that a frame takes from one device to another
  loop::Reactor reactor_;
};

}  // namespace peerpath::platform
