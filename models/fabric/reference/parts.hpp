// What the event-driven reference is made of: TLPs under way, queues, transmitters and nodes.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "core/pcie/split.hpp"
#include "fabric/vocabulary/bit_errors.hpp"
#include "fabric/vocabulary/wiring.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric::reference {

inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// Places of `eligible` events: of 63 slots for each of 42 lanes.
inline constexpr std::uint32_t slots_per_node = 4096;

constexpr std::size_t index_of(pcie::TlpClass c) { return static_cast<std::size_t>(c); }

/// Objects that are used again after they were given back; their addresses stay.
template <class T>
class Pool {
 public:
  T* take(const T& value) {
    if (free_.empty()) return &all_.emplace_back(value);
    T* object = free_.back();
    free_.pop_back();
    *object = value;
    return object;
  }
  void give_back(T* object) { free_.push_back(object); }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

/// A transaction under way.
struct Job {
  Transaction transaction{};
  NodeId requester{};
  ChannelIndex channel{};
  std::int64_t unfinished = 0;  ///< posted TLPs not taken in, or requests not answered
  std::int64_t unsent = 0;      ///< posted TLPs that have not started at the requester
  std::int64_t users = 0;       ///< TLPs and requests that point here
  pcie::Status status = pcie::Status::success;
  Bytes missing{};  ///< as Delivery::missing, of the parts whose end is known
};

/// One non-posted request, until it is answered.
struct Request {
  Job* job = nullptr;
  pcie::Piece piece{};
  std::int64_t completions = 0;  ///< not yet taken in
  bool lost = false;             ///< one of them went astray
};

struct Tlp {
  Job* job = nullptr;
  Request* request = nullptr;  ///< of NP and CPL
  pcie::Piece piece{};
  pcie::TlpClass tlp_class{};
  pcie::Status status = pcie::Status::success;  ///< of CPL
  NodeId destination{};
  pcie::RouteKind kind{};
  Instant earliest{};               ///< e, at the node where it waits
  std::uint64_t entered = 0;        ///< number of its entry there
  std::uint64_t mark = 0;           ///< that many P must have left its lane of the ingress
  std::uint32_t came_by = nowhere;  ///< transmitter whose credits it holds
  std::uint8_t pool = 0;            ///< which of these (pool_of)

  std::size_t channel() const { return pool < pcie::tlp_classes ? 0 : 1; }  ///< by which it came
  std::uint32_t egress = 0;                                                 ///< transmitter that it waits for
};

/// One class of one ingress: of a router, what of it leaves by one virtual channel of one port.
struct Fifo {
  enum class Head : std::uint8_t { waiting, scheduled, eligible, started };
  std::deque<Tlp*> tlps;
  Head head = Head::waiting;
  Instant eligible_since{};
};

/// What has entered one ingress of a router for one virtual channel of one port (a lane), or one ingress of an
/// endpoint.
struct Ingress {
  std::uint64_t posted_entered = 0, posted_left = 0;
  std::vector<std::uint64_t> last_posted;  ///< by requester: `posted_entered` after its last P
};

/// The sending side of one direction of a link, and what is on the wire. Of whole cache lines, 512 B: one is found by a
/// shift.
struct alignas(64) Transmitter {
  LinkDirection* direction = nullptr;
  NodeId from{}, to{};
  std::uint32_t opposite = 0;
  std::size_t to_ingress = 0;
  LinkId link{};
  int number = 0;             ///< of the direction
  std::vector<Duration> ser;  ///< by double words
  Duration ser_dllp{};
  Instant free{};
  bool up = true, pending = false;
  std::array<Credits, pools> advertised{};
  std::array<int, pools> header{}, data{};  ///< credits left, where finite
  std::size_t slots = 0;                    ///< of its node
  /// Whose turn it is within a virtual channel.
  struct Channel {
    std::size_t holder = 0;                 ///< slot that started last
    int taken = 0;                          ///< turns that it has had in a row
    int turns = 0;                          ///< of the channel itself, in weighted VC arbitration
    std::vector<std::uint64_t> last_start;  ///< by slot: the number of its last start, 0 if it has not started yet
    std::uint64_t starts = 0;
    std::size_t round_robin = 0;  ///< of Flaw::round_robin: the slot behind the one that started last
  };
  std::array<Channel, 2> channels;
  unsigned vc1_classes = 0;                ///< traffic classes that go by VC 1, a bit each
  std::size_t vc_ingress = 0;              ///< at the peer, of what goes by VC 1
  std::uint8_t vc_first = 1;               ///< the virtual channel whose turn it is
  std::size_t vc_holder = 0;               ///< that started last
  int vc_taken = 0;                        ///< turns that it has had in a row
  std::vector<int> turns;                  ///< by ingress, if any has more than one
  std::size_t port = 0;                    ///< of its node
  std::array<std::uint64_t, 2> wanting{};  ///< by virtual channel: slots whose head is eligible and leaves here
  int dllps_due = 0;
  Instant next_ack{}, next_fc{};  ///< earliest arrival that causes another one
  struct {
    std::size_t slot = 0;
    pcie::TlpClass tlp_class{};
    std::uint32_t came_by = nowhere;
    std::uint8_t pool = 0;
    std::uint16_t units = 0;
    Job* told = nullptr;  ///< whose requester is to hear that its last TLP has left
  } sending;
  BitErrors errors{0, 0, 0};
  bool stalled = false;  ///< a head has lacked nothing but credits since `stalled_since`, and none could start
  Duration stalling{};   ///< so far, since the last start
  Instant stalled_since{};
  DirectionCounters counters{};
  std::vector<Tally> tallies;
  std::vector<Bytes> accounts;

  /// The virtual channel by which a TLP goes here.
  std::uint8_t channel(const Job& job) const {
    return static_cast<std::uint8_t>(vc1_classes >> job.transaction.traffic_class & 1);
  }
  bool has_credits(std::size_t of, int units) const {
    return (advertised[of].header == 0 || header[of] >= 1) && (advertised[of].data == 0 || data[of] >= units);
  }
  void set_rate(BitRate rate);
};

/// Takes in the TLPs of one class at an endpoint, one after another.
struct Server {
  std::vector<Duration> service;  ///< by double words of data
  Instant last_done{};
  std::deque<Tlp*> tlps;  ///< not yet done
};

struct Station {
  const Node* node = nullptr;
  /// Lanes: of a router one for each port and virtual channel by which its TLPs leave, of an endpoint one. [lane *
  /// ingresses + ingress], and the same of slots: a place.
  std::vector<Ingress> ingresses;
  std::vector<Fifo> fifos;
  std::vector<std::uint32_t> outgoing;  ///< transmitter of each port
  // Of a router: [(ingress * nodes + target) * kinds + kind] = transmitter.
  std::vector<std::uint32_t> routes;
  // Of an endpoint:
  pcie::SplitRules rules{};
  int tags = 0;
  std::array<Server, pools> servers;
  std::array<Instant, 2> read_servers{};    ///< by virtual channel, as
  std::array<std::uint64_t, 2> requests{};  ///< taken in
  std::size_t vc1_completions = 0;          ///< ingress of those that leave by VC 1
  std::deque<Request*> timers;
  // Of one with a single receive queue:
  struct Held {
    Tlp* tlp = nullptr;
    Instant arrival{};
  };
  std::deque<Held> held;
  Instant passed{};               ///< when the last one came out of the receive queue
  std::int64_t answers_due = 0;   ///< completions of all requests that came out
  std::int64_t answers_gone = 0;  ///< of these, left before `answers_left` begins
  std::deque<Instant> answers_left;
};

}  // namespace peerpath::fabric::reference
