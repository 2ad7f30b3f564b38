// The parts of a domain as the engine keeps them: queues, transmitters, nodes, endpoints.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/engine/arbiter.hpp"
#include "fabric/engine/credit_loop.hpp"
#include "fabric/engine/dllp_queue.hpp"
#include "fabric/engine/tlp_run.hpp"
#include "fabric/vocabulary/bit_errors.hpp"
#include "fabric/vocabulary/wiring.hpp"
#include "peerpath/base/ring.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric::engine {

/// Slots of the posted class.
inline constexpr std::uint64_t posted_slots = 0111111111111111111111u;

struct Transmitter;
struct NodeState;
struct EndpointState;

/// The queues of one ingress that leave by one virtual channel of one transmitter: PCIe orders only what is in one
/// lane. Of an endpoint a lane is one of its channels, whatever virtual channels it uses.
struct Lane {
  Transmitter* from = nullptr;  ///< by which they came; none at an endpoint
  std::uint8_t stream = 0;      ///< by which their credits go back (CreditLoop)
  bool marked = false;          ///< a TLP that waits for posted ones has entered since the last posted one did
  std::int64_t posted_in = 0;   ///< posted TLPs that have entered
  std::int64_t posted_out = 0;
  Femto posted_left = 0;                ///< when the last posted one has left
  std::vector<std::int64_t> posted_by;  ///< by sender: `posted_in` after its last posted TLP
};

/// One FIFO of one lane and class.
struct Fifo {
  Ring<TlpRun> runs;
  Femto head = 0;  ///< from when the first TLP is eligible, if its ordering mark does not block it
  Femto left = 0;  ///< when the TLP before it has left the node
  Lane* lane = nullptr;
  Transmitter* out = nullptr;
  CreditLoop* held = nullptr;  ///< whose credits its TLPs hold; none if they are infinite, or at an endpoint
  std::uint64_t bit = 0;       ///< of its slot
  std::uint8_t slot = 0, tlp_class = 0;
  std::uint8_t channel = 0;       ///< virtual channel by which the first TLP leaves
  std::uint8_t pool = 0;          ///< of its credits: channel and class
  bool takes_tags = false;        ///< non-posted requests of an endpoint's own channel
  bool blocked = false;           ///< the first TLP waits for posted ones
  std::int32_t sends_coming = 0;  ///< transactions in it whose requester reacts when they have left

  void set_channel(std::uint8_t by) {
    channel = by;
    pool = static_cast<std::uint8_t>(by * pcie::tlp_classes + tlp_class);
  }
};

/// The sending end of one direction of one link.
struct Transmitter {
  int index = 0;
  Transmitter* reverse = nullptr;
  NodeState *node = nullptr, *peer = nullptr;
  int peer_port = 0, peer_vc1_ingress = 0;  ///< ingresses at the peer
  Transmitter** routes = nullptr;           ///< at the peer, of what comes from here: [target * kinds + kind]
  bool up = true;
  Gate* gate = nullptr;  ///< at the peer

  std::array<Fifo*, 2> fifos{};   ///< by slot, for each virtual channel; an endpoint has the same for both
  SlotsByChannel candidates{};    ///< slots whose head may start when its time has come
  int blocked = 0;                ///< FIFOs whose head waits for posted TLPs
  Femto decision = unknown_time;  ///< next start, as far as is known
  Femto rival = unknown_time;     ///< before this, no other slot than that of `winner` can start
  Fifo* winner = nullptr;
  Femto ready_since = unknown_time;  ///< a head has lacked nothing but credits since
  bool unknown = false;              ///< a credit or tag whose return is not known yet may bring the decision forward
  bool touched = false;              ///< its decision has to be worked out anew
  Femto free = 0;                    ///< the line is free from then on
  Arbiter arbiter;

  std::vector<Femto> serialisation;  ///< by double words
  Femto dllp = 0, shortest = 0, propagation = 0, update_fc = 0;
  Femto lookahead = 0;  ///< a start elsewhere at t cannot bring a new candidate here before t + lookahead
  std::array<CreditLoop, pools> credit;
  std::uint8_t vc1_classes = 0;  ///< traffic classes that go by VC 1, a bit each; 0: there is no VC 1

  DllpQueue due;                                                       ///< DLLPs to be sent
  Femto ack_interval = 0, fc_interval = 0, next_ack = 0, next_fc = 0;  ///< of those that its TLPs cause

  BitErrors errors{0, 0, 0};
  Femto replay_delay = 0;
  bool error_prone = false;  ///< `errors` has to be asked

  // Counters.
  std::int64_t framing = 0;
  std::int64_t dllps = 0;
  std::int64_t dllps_then = 0;  ///< when their time was last changed
  Femto signalling = 0;         ///< sending those
  std::int64_t replays = 0;
  Femto replaying = 0, busy = 0, queueing = 0, credit_stall = 0, stalling = 0;
  std::vector<Tally> tallies;
  std::vector<Bytes> accounts;

  std::uint8_t channel(const Transaction& t) const {
    return static_cast<std::uint8_t>(vc1_classes >> t.traffic_class & 1);
  }
  bool has_candidates() const { return (candidates[0] | candidates[1]) != 0; }
};

/// The one receive queue of an endpoint that has but one.
struct ReceiveQueue {
  struct Held {
    int tlp_class = 0;
    TlpRun run;  ///< one TLP; `e` is its arrival
  };
  Ring<Held> held;
  Femto passed = 0;               ///< when the last one came out
  std::int64_t answers_due = 0;   ///< completions of all requests that came out
  std::int64_t answers_gone = 0;  ///< of these, left before `answers_left` begins
  Ring<Femto> answers_left;
};

/// Receiving and answering side of an endpoint.
struct EndpointState {
  NodeState* node = nullptr;
  Endpoint config;
  pcie::SplitRules rules;
  WholeSteps writes, reads, completions;
  std::uint32_t last_answer = nobody;       ///< the last of its answers, if completions of it are still under way
  std::uint32_t tally = 0;                  ///< of the first purpose of its requests
  Transmitter* out = nullptr;               ///< its only one
  std::array<Femto, pools> taken_in{};      ///< when each server is free
  std::array<Femto, 2> read_free{};         ///< when the read server of each virtual channel is free
  std::array<std::uint64_t, 2> requests{};  ///< taken in, by virtual channel
  int vc1_ingress = 0;                      ///< of completions that leave by VC 1
  std::int64_t tags = 0;                    ///< free now
  bool timeouts = false;                    ///< some tags come back by timeout, so later ones may come first
  Ring<Femto> tag_returns;                  ///< known to come, in order
  std::int64_t requests_coming = 0, notices_coming = 0;
  std::int64_t echoes_coming = 0;  ///< notices that a posted transaction has arrived
  std::int64_t sends_coming = 0;   ///< notices that a posted transaction has left
  std::int64_t inbound = 0;        ///< transactions that may still send TLPs to it
  Femto hearsay = unknown_time;    ///< from a notice elsewhere to what that may cause here, at the least

  std::array<std::vector<Femto>, pcie::tlp_classes> occupancy;  ///< by data double words; less than 0: not worked out

  std::int32_t read_bytes = -1;
  Femto read_spacing = 0;  ///< of completions of `read_bytes`

  ReceiveQueue queue;  ///< if `config.one_queue` is set

  /// How long the data of one completion takes to become ready after that of the one before.
  Femto read_time(std::int32_t bytes);
  Femto serve(int tlp_class, std::int32_t data_dw);
  /// How long one TLP occupies the server of its class.
  Femto occupancy_of(int tlp_class, std::int32_t data_dw) {
    const Femto known = occupancy[static_cast<std::size_t>(tlp_class)][static_cast<std::size_t>(data_dw)];
    return known >= 0 ? known : serve(tlp_class, data_dw);
  }

  /// From when one tag is free.
  Femto tag_at() const { return tags > 0 ? 0 : tag_returns.empty() ? unknown_time : tag_returns.front(); }
  void fold_tags(Femto now) {
    for (; !tag_returns.empty() && tag_returns.front() <= now; tag_returns.pop()) ++tags;
  }
  void release_tag(Femto when) {
    tag_returns.push(when);
    for (std::size_t i = tag_returns.size() - 1; i > 0 && tag_returns[i - 1] > when; --i)
      std::swap(tag_returns[i - 1], tag_returns[i]);
  }
};

struct NodeState {
  NodeId id{};
  int ingresses = 0;
  std::vector<Lane> lanes;  ///< of an endpoint by ingress; of a router [(port * 2 + channel) * ingresses + ingress]
  std::vector<Fifo> fifos;  ///< lane * 3 + class
  EndpointState* endpoint = nullptr;
  Femto latency = 0;
  std::vector<Transmitter*> routes;  ///< of a router: [(port * nodes + target) * kinds + kind]
};

}  // namespace peerpath::fabric::engine
