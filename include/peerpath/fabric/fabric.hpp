// The PCIe fabric: transactions go in with the time at which they are ready, deliveries come out with the exact time at
// which they happen. What is simulated is written down in models/fabric/README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "peerpath/fabric/topology.hpp"
#include "peerpath/pcie/routing.hpp"

namespace peerpath::fabric {

/// Something a device wants done; the fabric makes TLPs of it (MPS, MRRS, RCB, 4 KiB).
struct Transaction {
  std::uint64_t cookie = 0;  ///< the submitter's own; comes back in the delivery
  NodeId target{};
  pcie::Operation op = pcie::Operation::memory_write;
  pcie::Purpose purpose = pcie::Purpose::payload;
  pcie::Status answer = pcie::Status::success;  ///< how the completer will answer (decided by address decoding)
  bool relaxed_ordering = false;
  bool id_based_ordering = false;
  bool translated = false;         ///< its requests carry a translated address (ATS): routes and gates care
  bool translation = false;        ///< it asks for a translation: ports block it like a translated one (ACS TB)
  bool spoofed = false;            ///< its requests carry an ID that nobody has (PCIe Base Spec 6.12.1.1): routes care
  std::uint8_t traffic_class = 0;  ///< of its TLPs and their completions: each link maps it to a virtual channel
  std::uint16_t account = 0;       ///< its data is counted for it on every link; below Topology::accounts
  bool notify_target = false;      ///< the target reacts to the arrival: bounds how far the fabric may compute
  bool notify_requester = false;   ///< the requester reacts to the completion, or to the arrival of what it posted
  bool tell_sent = false;          ///< posted: the requester is told when the last TLP has left it
  bool notify_sent = false;        ///< and reacts to that; only with `tell_sent`
  std::uint64_t address = 0;  ///< splitting follows its low bits; at 4 GiB and above the header has four double words
  Bytes bytes{};
  Instant ready{};  ///< earliest start
};

/// A foreign completer's handle on a request that it must answer.
using RequestId = Id<struct RequestTag, std::uint64_t>;

enum class DeliveryKind : std::uint8_t {
  arrived,    ///< a posted transaction is wholly taken in by its target
  requested,  ///< one non-posted request reached an external endpoint: answer `request`
  completed,  ///< a non-posted transaction has all its completions (or timed out)
  sent,       ///< the last TLP of a posted transaction has left its requester, which asked to be told (`tell_sent`)
};

/// What happened to a transaction. Deliveries come in the order of computation, not of `done`.
struct Delivery {
  DeliveryKind kind{};
  bool notify = false;  ///< somebody declared to react
  pcie::Operation op{};
  pcie::Purpose purpose{};
  pcie::Status status = pcie::Status::success;
  bool translated = false, translation = false, spoofed = false;  ///< of the transaction
  NodeId requester{}, target{};
  ChannelIndex channel{};     ///< of the requester
  std::uint16_t account = 0;  ///< of the transaction
  std::uint64_t cookie = 0;
  RequestId request{};        ///< of `requested`
  std::uint64_t address = 0;  ///< of the transaction, or of the one request of `requested`
  Bytes bytes{};              ///< likewise
  Bytes missing{};  ///< part of `bytes` that the target did not take, or a read did not bring; none of `requested`,
                    ///< `sent`
  Instant ready{}, done{};
};

class DeliverySink {
 public:
  virtual ~DeliverySink() = default;
  virtual void deliver(const Delivery& delivery) = 0;
};

/// What crossed one direction of one link on behalf of one requester for one purpose.
struct Tally {
  std::int64_t tlps = 0;
  Bytes payload{};   ///< data bytes as padded to double words
  Bytes overhead{};  ///< headers, digests, framing
};

/// One direction of one link, since the start.
struct DirectionCounters {
  std::int64_t dllps = 0;
  Duration busy{};           ///< serialising TLPs
  Duration queueing{};       ///< sum over TLPs of eligible -> start
  std::int64_t replays = 0;  ///< transmissions of TLPs that had to be repeated
  Duration replaying{};      ///< time that they and their recovery took
  Duration credit_stall{};   ///< line free and up, a TLP eligible (tag included), and none could start for want of
                             ///< credits
  Duration signalling{};     ///< sending DLLPs
  Duration ahead{};  ///< of `busy`, `replaying` and `signalling`: beyond the time reached, as starts count whole
  std::span<const Tally> tallies;   ///< [requester node * pcie::purposes + purpose]
  std::span<const Bytes> accounts;  ///< data bytes by Transaction::account, without padding

  const Tally& tally(NodeId requester, pcie::Purpose purpose) const {
    return tallies[requester.value() * pcie::purposes + static_cast<std::size_t>(purpose)];
  }
};

/// One TLP on one link direction, for traces and checkers.
struct TlpRecord {
  LinkId link{};
  int direction = 0;
  pcie::TlpClass tlp_class{};
  pcie::Operation op{};
  pcie::Purpose purpose{};
  NodeId requester{}, target{};
  std::uint64_t cookie = 0, address = 0;
  Bytes payload{};  ///< in bytes of the double words carried
  Instant start{}, end{};
  int channel = 0;  ///< virtual channel
};

class TlpObserver {
 public:
  virtual ~TlpObserver() = default;
  virtual void observe(const TlpRecord& tlp) = 0;
};

/// What a router does with one kind of TLP that comes in on `ingress` and is meant for `target`.
struct Route {
  NodeId router{};
  LinkId ingress{};
  pcie::RouteKind kind{};
  NodeId target{};
  LinkId egress{};
  auto operator<=>(const Route&) const = default;
};

/// What the first TLP of a queue needs to go on.
enum class WaitFor : std::uint8_t {
  time,      ///< nothing: it is known when it goes
  credits,   ///< of its class, of the direction by which it is to leave
  tag,       ///< all of its requester's are taken
  ordering,  ///< posted TLPs that came before it by the same ingress and leave by the same egress
  link,      ///< the link by which it is to leave is down
  room,      ///< for completions in an endpoint that has one receive queue
};

constexpr std::array<EnumName<WaitFor>, 6> enum_names(WaitFor) {
  return {{{"time", WaitFor::time},
           {"credits", WaitFor::credits},
           {"tag", WaitFor::tag},
           {"ordering", WaitFor::ordering},
           {"link", WaitFor::link},
           {"room", WaitFor::room}}};
}

/// A queue that is not empty, and its first TLP. At a router there is one for each ingress and class, and each port and
/// virtual channel by which its TLPs leave.
struct Waiting {
  static constexpr int received = -1;  ///< `ingress` of the one receive queue of an endpoint

  NodeId node{};
  int ingress = 0;  ///< port of a router, channel of an endpoint; then what comes or is answered by VC 1
  pcie::TlpClass tlp_class{};
  WaitFor why{};
  LinkId link{};      ///< by which it is to leave, or (`received`) has come
  int direction = 0;  ///< of that link
  NodeId requester{}, target{};
  std::uint64_t cookie = 0, address = 0;  ///< of its transaction; of the access in it
  int channel = 0;                        ///< virtual channel of `link` by which it is to leave
  bool operator==(const Waiting&) const = default;
};

/// A simulated PCIe domain. Contract: after `advance` has returned h, whatever is submitted later has ready >= h, and
/// whoever is to react to a delivery with `notify` and done + reaction <= h has reacted before the next `advance`.
class Fabric {
 public:
  virtual ~Fabric() = default;

  /// Queues a transaction on one of the endpoint's channels; transactions of one channel and class start in order.
  virtual void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) = 0;

  /// Answers a request to an external endpoint: its data is ready at `ready`.
  virtual void respond(RequestId request, Instant ready, pcie::Status status) = 0;

  /// Computes everything that starts before h = min(limit, earliest `done` + reaction of a delivery with notify), and
  /// returns h. Calling it again takes the reactions at h as submitted. `limit` is before `never`.
  virtual Instant advance(Instant limit) = 0;

  /// Lower bound of the times of all deliveries that are not computed yet, if the caller submits, answers and changes
  /// nothing; at least the time reached. A caller that advances just past it, and asks again, learns of every delivery
  /// before it is done. `never`: no transaction is pending.
  virtual Instant quiet_until() const = 0;

  /// Takes a link out of service or back, from the last returned h on: TLPs and DLLPs already started are unharmed, no
  /// new one starts while it is down.
  virtual void set_link(LinkId link, bool up) = 0;

  /// From the last returned h on, TLPs that start towards the router go by this route. It may end at an endpoint that
  /// is not the target: that one takes them in and answers requests with its `misdirected`.
  virtual void set_route(const Route& route) = 0;

  /// From the last returned h on, TLPs and DLLPs start with this timing on one direction of a link, as after a retrain
  /// to another width or generation. The next TLP that starts causes an ACK and an UpdateFC.
  virtual void set_timing(LinkId link, int direction, const LineTiming& timing) = 0;

  /// The same where nothing but the rate changes, and no DLLP is caused because of that.
  virtual void set_rate(LinkId link, int direction, BitRate rate) = 0;

  /// Takes credits of VC 0 away from a transmitter for good, as a receiver does that loses an UpdateFC. Infinite ones
  /// stay.
  virtual void leak_credits(LinkId link, int direction, pcie::TlpClass tlp_class, Credits lost) = 0;

  /// The next TLP that starts on this direction is hit by a bit error and replayed.
  virtual void strike(LinkId link, int direction) = 0;

  virtual DirectionCounters counters(LinkId link, int direction) const = 0;

  /// All queues that hold TLPs at the time reached, by node, ingress, class and egress. Where nothing can move any more
  /// all engines say the same; before that one may know the time of what another still waits for.
  virtual std::vector<Waiting> waiting() const = 0;

  /// Sends a copy of every TLP to `observer` (nullptr: nobody). Costs a virtual call per TLP and hop.
  virtual void observe(TlpObserver* observer) = 0;
};

/// How a fabric computes: as textbook events (the oracle), or with the starts of equal TLPs as trains. Both give the
/// same times to the femtosecond.
enum class Mode : std::uint8_t { event, train };

constexpr std::array<EnumName<Mode>, 2> enum_names(Mode) { return {{{"event", Mode::event}, {"train", Mode::train}}}; }

/// Makes a fabric of a topology that `validate` accepts. The sink must outlive it.
std::unique_ptr<Fabric> make_fabric(const Topology& topology, DeliverySink& sink, Mode mode = Mode::train);

}  // namespace peerpath::fabric
