// PCIe domains as the fabric sees them: trees of routers with endpoints as leaves. Plain data, checked by `validate`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/id.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::fabric {

class Gate;

using NodeId = Id<struct NodeTag>;  ///< a router or an endpoint, in one numbering
using LinkId = Id<struct LinkTag>;
using ChannelIndex = Id<struct ChannelTag>;  ///< queue of an endpoint; 0 is its completer, 1.. are its own

/// Flow-control credits that a receiver advertises for one class. 0 means infinite (PCIe Base Spec 2.6.1).
struct Credits {
  int header = 0;  ///< TLPs
  int data = 0;    ///< units of 16 B
};

/// Whose turn it is between VC 0 and VC 1 of one transmitter (PCIe Base Spec 6.3.3.1): strict priority of VC 1, or
/// weighted round robin, where each has so many TLPs in a row as long as it has something to send.
struct VcArbitration {
  int vc0_turns = 0, vc1_turns = 0;  ///< both 0: strict
};

/// What of one direction of a link follows from the shape to which it has trained, as in LinkDirection.
struct LineTiming {
  BitRate rate{};
  Bytes framing{};
  Duration ack_interval{}, fc_interval{};
};

/// One direction of a link: the transmitter's serialiser, the wire, and the buffer of the receiver.
struct LinkDirection {
  BitRate rate{};                      ///< bits per second left for TLPs and DLLPs (encoding, SKP taken off)
  Bytes framing = pcie::link_framing;  ///< link-layer bytes that go with each TLP; 0 in FLIT mode
  Duration propagation{};
  std::array<Credits, pcie::tlp_classes> credits{};      ///< by TlpClass, of VC 0
  std::array<Credits, pcie::tlp_classes> vc1_credits{};  ///< of VC 1, if the link has one
  VcArbitration vc_arbitration{};                        ///< of the transmitter, if there are two
  Duration update_fc{};             ///< from buffer space freed to credit usable at the transmitter
  Duration ack_interval{};          ///< TLPs received at least this far apart cause one ACK each; 0: none
  Duration fc_interval{};           ///< the same for UpdateFC, for all classes together; 0: none
  std::int64_t bits_per_error = 0;  ///< mean distance of bit errors, 1 / BER; 0: none
  Duration replay_delay{};          ///< end of a TLP that was hit to the start of its replay
  Gate* gate = nullptr;             ///< at the receiver, asked about each TLP; not owned, has to outlive the fabric
  /// Which of the seed's sequences of bit errors it has; none: that of its place in the topology.
  std::optional<std::uint32_t> errors{};
};

/// A link between two nodes; `direction[0]` carries a to b, `direction[1]` b to a.
struct Link {
  NodeId a, b;
  std::array<LinkDirection, 2> direction{};
  /// The TC/VC map of both ends: bit t is set if traffic class t goes by VC 1 (PCIe Base Spec 2.5.3). 0: all goes by VC
  /// 0, and there is no other.
  std::uint8_t vc1_classes = 0;

  int channel(int traffic_class) const { return vc1_classes >> traffic_class & 1; }
};

/// Traffic classes of PCIe (PCIe Base Spec 2.5).
inline constexpr int traffic_classes = 8;

/// A serial resource: each TLP occupies it for `per_tlp` plus its payload at `rate` (0 bit/s: no time per byte).
struct ServiceTime {
  Duration per_tlp{};
  BitRate rate{};
};

/// Routes TLPs between its ports: a switch, or the inside of a root complex. At most 21 ports, of which one with two
/// virtual channels counts as two.
struct Router {
  Duration latency{};  ///< cut-through, from head in to head out
};

/// A leaf: a function that requests, completes, or both.
struct Endpoint {
  Bytes max_payload{256};         ///< MPS of what it sends
  Bytes max_read_request{512};    ///< MRRS
  Bytes max_completion{256};      ///< completions end at multiples of this address step; a multiple of its RCB, <= MPS
  int tags = 256;                 ///< non-posted requests outstanding
  bool ecrc = false;              ///< adds a TLP digest of 4 B to all that it sends
  Duration completion_timeout{};  ///< ends a request whose completer gives no answer
  std::array<ServiceTime, pcie::tlp_classes> service{};  ///< how it takes in TLPs of each class
  Duration read_latency{};                               ///< request taken in to first data ready
  Duration read_jitter{};  ///< adds a deterministic 0..read_jitter to each request's latency
  BitRate read_rate{};     ///< rate at which completion data becomes ready; 0: all at once
  /// How it answers requests that are routed to it though they are meant for another.
  pcie::Status misdirected = pcie::Status::unsupported_request;
  bool external = false;  ///< requests are answered through Fabric::respond, not by the fabric
  Duration reaction{};    ///< promise: what it submits because of a notice comes at least this long after it
  int channels = 1;       ///< own channels, numbered from 1
  /// A completer with one receive queue for requests and completions: with this many completions waiting to leave it
  /// takes in no further request, and what came after that request waits behind it. 0: completions are always taken in,
  /// as PCIe Base Spec 2.4.1 demands of a port.
  int one_queue = 0;
};

/// A node is a router or an endpoint.
struct Node {
  std::string name;
  bool is_endpoint = false;
  Router router{};
  Endpoint endpoint{};
};

/// Weighted port arbitration: where `router` sends by `egress`, each queue of what came by `ingress` may keep its turn
/// for so many TLPs in a row. Without, it is one (plain round robin).
struct Weight {
  NodeId router{};
  LinkId ingress{}, egress{};
  int turns = 1;
};

/// Most turns in a row: the phases of the largest port arbitration table (PCIe Base Spec 7.9.1).
inline constexpr int most_turns = 256;

/// The nodes and links of one domain, or of several that no link joins: nothing is sent from one to another. Node n is
/// `nodes[n]`; port p of a node is the p-th link that names it.
struct Topology {
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Weight> weights;
  std::uint64_t seed = 0;    ///< of the read jitter
  std::size_t accounts = 1;  ///< for which data is counted (Transaction::account)
  /// Promise: a notice at one endpoint causes submissions at another one no sooner than this after it.
  Duration side_latency{};
  /// Whether links or routes may be changed in reaction to a notice, rather than only at a limit of `advance`.
  bool reconfigures = true;
  /// Whether a route may ever end at an endpoint that is not the target (Fabric::set_route).
  bool strays = false;

  NodeId add_router(std::string name, Router router);
  NodeId add_endpoint(std::string name, Endpoint endpoint);
  LinkId connect(NodeId a, NodeId b, LinkDirection a_to_b, LinkDirection b_to_a);
};

/// What is wrong with a topology, one sentence each: not a tree, an endpoint without or with two links, no rate, MPS or
/// data credits that cannot hold a TLP, too many ports. Empty when it can be simulated.
std::vector<std::string> validate(const Topology& topology);

}  // namespace peerpath::fabric
