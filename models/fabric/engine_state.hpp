// What the computed engine keeps of each queue, transmitter and node. Times are femtoseconds since the start.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/pcie/split.hpp"
#include "fabric/bit_errors.hpp"
#include "fabric/credit_loop.hpp"
#include "fabric/ring.hpp"
#include "fabric/steady_reads.hpp"
#include "fabric/wiring.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// The double words and credits of a TLP, and the transmitter by which it leaves.
struct TlpShape {
  std::uint16_t dw = 0, data_dw = 0, units = 0, out = 0;

  /// In one number.
  std::uint64_t shape() const {
    return dw | std::uint64_t{data_dw} << 16 | std::uint64_t{units} << 32 | std::uint64_t{out} << 48;
  }
  static TlpShape of(std::uint64_t all) {
    return {static_cast<std::uint16_t>(all), static_cast<std::uint16_t>(all >> 16),
            static_cast<std::uint16_t>(all >> 32), static_cast<std::uint16_t>(all >> 48)};
  }
  TlpShape longer_by(int header) const { return of(shape() + static_cast<std::uint64_t>(header)); }
};

/// Equal TLPs that wait in one FIFO: the first may start at `e`, each further one `slope` later.
struct TlpRun : TlpShape {
  Femto e = 0, slope = 0;
  std::uint64_t address = 0;
  std::int64_t mark = 0;  ///< posted TLPs of the ingress that must have left before the first starts
  std::int32_t count = 0;
  std::int32_t step = 0;       ///< bytes of the access in each
  std::uint32_t record = 0;    ///< transaction
  std::uint32_t answered = 0;  ///< completions: the request that they answer
  // Completions of whole steps may belong to several answers, one after the other (Answer::next).
  std::uint16_t per = 0;     ///< completions of each answer; 0: all belong to `answered`
  std::uint16_t offset = 0;  ///< how many of the first one have gone ahead
  std::uint32_t tail = 0;    ///< the answer of the last one

  void set_size(const pcie::Run& run) {
    count = static_cast<std::int32_t>(run.count);
    address = run.first.address;
    step = static_cast<std::int32_t>(run.first.bytes.count());
    dw = static_cast<std::uint16_t>(run.first.dw);
    data_dw = static_cast<std::uint16_t>(run.first.data_dw);
    units = static_cast<std::uint16_t>(run.first.units);
  }
};

/// Transactions of whole steps, cut into TLPs: what is known of these beforehand.
struct WholeSteps {
  std::uint64_t below = ~std::uint64_t{};  ///< step - 1; all ones if no access is cut into steps
  std::int32_t shift = 0, step = 0;        ///< step = 1 << shift
  TlpShape each;                           ///< without header

  WholeSteps() = default;
  WholeSteps(Bytes bytes, bool has_data, bool ecrc, int out) {
    const auto size = static_cast<std::uint64_t>(bytes.count());
    if (!std::has_single_bit(size)) return;
    below = size - 1;
    shift = std::countr_zero(size);
    step = static_cast<std::int32_t>(size);
    each.data_dw = static_cast<std::uint16_t>(has_data ? size / 4 : 0);
    each.dw = static_cast<std::uint16_t>(each.data_dw + ecrc);
    each.units = static_cast<std::uint16_t>((each.data_dw + 3) / 4);
    each.out = static_cast<std::uint16_t>(out);
  }

  /// Whether an access is whole steps, all below or all above 4 GiB.
  bool cover(std::uint64_t address, Bytes bytes) const {
    const auto size = static_cast<std::uint64_t>(bytes.count());
    return ((address | size) & below) == 0 && size != 0 && (address ^ (address + size - 1)) >> 32 == 0;
  }
  void cut(int header, std::uint64_t address, Bytes bytes, TlpRun& run) const {
    static_cast<TlpShape&>(run) = each.longer_by(header);
    run.address = address;
    run.count = static_cast<std::int32_t>(bytes.count() >> shift);
    run.step = step;
  }
};

/// Slots of the posted class.
inline constexpr std::uint64_t posted_slots = 0111111111111111111111u;

constexpr Femto later(Femto a, Femto span) { return span >= unknown_time / 2 ? unknown_time : a + span; }

/// Times as long as they are equally spaced.
struct Progression {
  Femto first = 0, spacing = 0;
  std::int64_t count = 0;

  /// Takes in `more` times from `from` on at `step` if they continue it.
  bool add(Femto from, Femto step, std::int64_t more) {
    if (count == 0) {
      *this = {from, step, more};
      return true;
    }
    const Femto gap = count == 1 ? from - first : spacing;
    if (from != first + count * gap || (more > 1 && step != gap)) return false;
    spacing = gap;
    count += more;
    return true;
  }
};

struct Ingress;
struct Transmitter;
struct NodeState;
struct Leaf;

/// One FIFO of one ingress and class.
struct Queue {
  Ring<TlpRun> runs;
  Femto head = 0;       ///< from when the first TLP is eligible, if its ordering mark does not block it
  Femto left = 0;       ///< when the TLP before it has left the node
  std::size_t old = 0;  ///< of a router: how many of its first runs came by routes that may have changed since
  Ingress* ingress = nullptr;
  std::uint64_t bit = 0;  ///< of its slot
  std::uint8_t slot = 0, tlp_class = 0;
  std::uint8_t pool = 0;        ///< of the credits that the first TLP needs, if it is not blocked
  bool takes_tags = false;      ///< non-posted requests of an endpoint's own channel
  std::uint32_t flow = nobody;  ///< of an own channel: its number
};

/// What the three FIFOs of one ingress share.
struct Ingress {
  Transmitter* from = nullptr;  ///< whose credits its TLPs hold; none at an endpoint's channel
  int channel = 0;              ///< virtual channel by which they came
  bool marked = false;          ///< a TLP that waits for posted ones has entered since the last posted one did
  std::int64_t posted_in = 0;   ///< posted TLPs that have entered
  std::int64_t posted_out = 0;
  Femto posted_left = 0;                ///< when the last posted one has left
  std::vector<std::int64_t> posted_by;  ///< by sender: `posted_in` after its last posted TLP
};

/// The DLLPs of one kind that a run causes on the way back of one link that it crosses undisturbed. Times count from
/// its first arrival.
struct DllpStep {
  Femto lag = 0;  ///< the next one may be caused from then on
  DllpBatch::Kind caused{};
  Femto next = 0;  ///< `lag` afterwards
};

/// All the DLLPs that a run causes: [link][ACK, UpdateFC].
struct Echo {
  std::array<std::array<DllpStep, 2>, 2> steps;
  std::int64_t sent = 0, sent_there = 0;  ///< how many, on each link
  Femto gone = 0, gone_there = 0;         ///< after the first arrival on each link, all have left an idle line
  // What a run causes that comes `gap` later.
  Femto gap = -1;
  Echo* follower = nullptr;
};

/// How a posted run crosses two links with nothing in its way; times count from its first start.
struct Crossing {
  const Transmitter* second = nullptr;
  std::uint64_t shape = 0;                                      ///< of its TLPs
  std::int32_t count = 0, flight = 0;                           ///< TLPs; runs that hold credits at a time, at most
  Femto freed = 0, freed_there = 0;                             ///< credits of the first TLP are back
  Femto all_freed = 0, all_freed_there = 0;                     ///< and those of the last
  Femto serialisation = 0, spacing = 0, last = 0, arrival = 0;  ///< first link
  Femto there = 0, serialisation_there = 0, spacing_there = 0, last_there = 0;  ///< second link
  Femto arrival_there = 0, first_done = 0, step = 0, done = 0;                  ///< server of the leaf
  Femto occupied = 0;                                                           ///< the first link
  Femto least_gap = 0;  ///< to the next start, so that it finds the second link and the server free

  // The echoes that were met of late: where runs are alike and come at one gap they repeat themselves.
  std::array<Echo, 32> echoes;
  std::size_t known_echoes = 0;
  Echo* echo = nullptr;  ///< of the last run, if that is known
  Femto echo_gap = 0;    ///< to the next start, so that the DLLPs of one run are gone before those of the next
  Femto echoing = 0, echoing_there = 0;  ///< from the first start until they are gone, on each link
  Femto next_ack = 0, next_fc = 0, next_ack_there = 0, next_fc_there = 0;  ///< as the last one left them
  Femto previous = 0, gap = 0;  ///< last start and its distance from the one before

  bool alike(const TlpRun& run) const { return shape == run.shape() && count == run.count && run.slope == 0; }
};

/// What a transmitter with two virtual channels keeps besides.
struct SecondChannel {
  int ingress = 0;                           ///< at the peer, of what goes by VC 1
  int next_slot = 0, holder = 0, taken = 0;  ///< of the slots whose heads go by VC 1, as the transmitter has of VC 0
  std::array<int, 2> turns{};                ///< of each virtual channel in a row; none: VC 1 goes first
  int first = 1;                             ///< whose turn it is
  int last = 0, last_taken = 0;              ///< which one started last, and turns that it has had
};

/// The sending end of one direction of one link.
struct Transmitter {
  int index = 0;
  Transmitter* reverse = nullptr;
  NodeState *node = nullptr, *peer = nullptr;
  int peer_port = 0;
  bool up = true;
  Gate* gate = nullptr;  ///< at the peer
  /// What the gate has said about TLPs before they came: so many are delayed by so much.
  struct Foreseen {
    Femto delay = 0;
    std::int64_t count = 0;
  };
  Ring<Foreseen> foreseen;

  std::uint64_t candidates = 0;   ///< slots whose head wants this direction
  Femto decision = unknown_time;  ///< next start, as far as is known
  Femto rival = unknown_time;     ///< before this, no other slot than `winner` can start
  int winner = 0;
  Femto ready_since = unknown_time;  ///< a head has lacked nothing but credits since
  bool unknown = false;              ///< a candidate waits for a credit or tag whose return is not known yet
  bool touched = false;              ///< its decision has to be worked out anew
  int next_slot = 0, slots = 0;      ///< round robin
  std::vector<int> turns;            ///< in a row, by ingress, if any has more than one
  int holder = 0;                    ///< slot that started last
  int taken = 0;                     ///< turns that it has had
  Femto free = 0;

  std::vector<Femto> serialisation;  ///< by double words
  Femto dllp = 0, shortest = 0, propagation = 0, update_fc = 0;
  Femto lookahead = 0;  ///< a start elsewhere at t cannot bring a new candidate here before t + lookahead
  std::array<CreditLoop, pools> credit;
  std::uint8_t vc1_classes = 0;  ///< traffic classes that go by VC 1, a bit each; 0: there is none

  DllpQueue due;                                                       ///< DLLPs to be sent
  Femto ack_interval = 0, fc_interval = 0, next_ack = 0, next_fc = 0;  ///< of those that its TLPs cause

  BitErrors errors{0, 0, 0};
  Femto replay_delay = 0;
  bool error_prone = false;  ///< `errors` has to be asked, or there are two virtual channels: no short way is for it
  SecondChannel vc1;

  int channel(const Transaction& t) const { return vc1_classes >> t.traffic_class & 1; }

  /// `count` TLPs of `slot` have started, one after the other.
  void pass_turn(int slot, std::int64_t count) {
    next_slot = slot + 1 == slots ? 0 : slot + 1;
    if (!turns.empty()) keep_turn(slot, count);
  }
  /// The same where there are two virtual channels.
  [[gnu::noinline]] void pass_turn_of(int channel, int slot, std::int64_t count) {
    const auto swap_turns = [this] {
      std::swap(next_slot, vc1.next_slot);
      std::swap(holder, vc1.holder);
      std::swap(taken, vc1.taken);
    };
    if (channel == 1) swap_turns();
    pass_turn(slot, count);
    if (channel == 1) swap_turns();
    const int most = vc1.turns[static_cast<std::size_t>(channel)];
    if (most == 0) return;
    vc1.last_taken = static_cast<int>(((channel == vc1.last ? vc1.last_taken : 0) + count) % most);
    vc1.last = channel;
    vc1.first = vc1.last_taken > 0 ? channel : 1 - channel;
  }
  [[gnu::noinline]] void keep_turn(int slot, std::int64_t count) {
    taken = static_cast<int>(((slot == holder ? taken : 0) + count) % turns[static_cast<std::size_t>(slot / 3)]);
    holder = slot;
    if (taken > 0) next_slot = slot;
  }

  std::int64_t framing = 0;
  std::int64_t dllps = 0;
  std::int64_t dllps_then = 0;  ///< when their time was last changed
  Femto signalling = 0;         ///< sending those
  std::int64_t replays = 0;
  Femto replaying = 0, busy = 0, queueing = 0, credit_stall = 0, stalling = 0;
  std::vector<Tally> tallies;
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
struct Leaf {
  NodeState* node = nullptr;
  Endpoint config;
  pcie::SplitRules rules;
  WholeSteps writes, reads, completions;
  std::uint32_t last_answer = nobody;   ///< the last of its answers, if completions of it are still under way
  std::uint32_t tally = 0;              ///< of the first purpose of what it asks for
  Transmitter* out = nullptr;           ///< its only one
  std::array<Femto, pools> taken_in{};  ///< when each server is free
  Femto read_free = 0, vc1_read_free = 0;
  std::uint64_t requests = 0, vc1_requests = 0;  ///< taken in so far
  int vc1_ingress = 0;                           ///< of completions that leave by VC 1
  std::int64_t tags = 0;                         ///< free now
  bool timeouts = false;                         ///< some tags come back by timeout, so later ones may come first
  Ring<Femto> tag_returns;                       ///< known to come, in order
  std::int64_t requests_coming = 0, notices_coming = 0;
  std::int64_t echoes_coming = 0;     ///< of these notices: that what it has posted has arrived
  std::array<Crossing, 4> crossings;  ///< that began here of late, by shape
  SteadyReads steady;
  std::int64_t inbound = 0;  ///< transactions that may still send TLPs to it
  int only_peer = -1;        ///< the only node from which they do; -1 if there are several

  /// How long one TLP occupies the server of its class.
  struct Occupancy {
    std::int32_t data_dw = -1;
    Femto time = 0;
  };
  std::array<Occupancy, pcie::tlp_classes> occupancy{};  ///< of the size asked for last

  std::int32_t read_bytes = -1;
  Femto read_spacing = 0;  ///< of completions of `read_bytes`

  ReceiveQueue queue;  ///< if `config.one_queue` is set

  Femto read_time(std::int32_t bytes);
  Femto serve(int tlp_class, std::int32_t data_dw);
  Femto occupancy_of(int tlp_class, std::int32_t data_dw) {
    const Occupancy& known = occupancy[static_cast<std::size_t>(tlp_class)];
    return known.data_dw == data_dw ? known.time : serve(tlp_class, data_dw);
  }

  void expect(int peer, std::int64_t transactions) {
    if (inbound == 0)
      only_peer = peer;
    else if (only_peer != peer)
      only_peer = -1;
    inbound += transactions;
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
  int number = 0;
  Queue* queues = nullptr;  ///< by slot
  int ingresses = 0;
  bool two_channels = false;  ///< on some of its links
  Leaf* leaf = nullptr;       ///< of an endpoint
  Femto latency = 0;
  std::uint64_t blocked = 0;          ///< slots whose head waits for posted TLPs
  std::uint64_t mixed = 0;            ///< slots whose TLPs may leave by different transmitters
  std::vector<std::uint16_t> routes;  ///< [(ingress * nodes + target) * kinds + kind] -> transmitter
};

/// A transaction under way.
struct Record {
  Transaction asked;
  NodeId requester{};
  ChannelIndex channel{};
  pcie::Status status = pcie::Status::success;  ///< so far
  std::uint32_t tally = 0;
  std::int64_t open = 0;     ///< posted: TLPs not taken in; else requests not answered
  std::int64_t lost = 0;     ///< requests that nobody will answer and that have not arrived yet
  Femto done = 0;            ///< the latest of those answered; of posted TLPs, the latest taken in
  std::uint64_t serial = 0;  ///< in the order in which transactions last started

  /// Whether both are cut alike, but for where they begin, and ask for the same treatment.
  bool alike(const Record& other) const {
    const Transaction &x = asked, &y = other.asked;
    return x.op == y.op && x.bytes == y.bytes && x.target == y.target && x.answer == y.answer && tally == other.tally &&
           requester == other.requester && channel == other.channel && x.relaxed_ordering == y.relaxed_ordering &&
           x.id_based_ordering == y.id_based_ordering && x.translated == y.translated &&
           x.translation == y.translation && x.spoofed == y.spoofed && x.notify_requester == y.notify_requester &&
           x.notify_target == y.notify_target;
  }

  /// Whether its TLPs of this class are posted requests that the target will not take.
  bool refused(int tlp_class) const {
    return tlp_class == static_cast<int>(pcie::TlpClass::posted) && asked.answer != pcie::Status::success;
  }

  /// What routers ask of its TLPs of this class.
  pcie::RouteKind kind(int tlp_class) const {
    if (tlp_class == static_cast<int>(pcie::TlpClass::completion))
      return asked.relaxed_ordering ? pcie::RouteKind::relaxed_completion : pcie::RouteKind::completion;
    return pcie::request_kind(asked.translated || asked.translation, asked.spoofed);
  }

  /// The function that sends its TLPs of this class: the requester, for completions the completer.
  std::size_t sender(int tlp_class) const {
    return tlp_class == static_cast<int>(pcie::TlpClass::completion) ? asked.target.value() : requester.value();
  }

  Delivery told(DeliveryKind kind, bool notify, pcie::Status as, Femto at) const {
    return {.kind = kind,
            .notify = notify,
            .op = asked.op,
            .purpose = asked.purpose,
            .status = as,
            .translated = asked.translated,
            .translation = asked.translation,
            .spoofed = asked.spoofed,
            .requester = requester,
            .target = asked.target,
            .channel = channel,
            .cookie = asked.cookie,
            .request = {},
            .address = asked.address,
            .bytes = asked.bytes,
            .ready = asked.ready,
            .done = Instant{Duration{at}}};
  }
};

/// One or several requests whose completions are under way, or one that an external endpoint has to answer.
struct Answer {
  std::uint32_t record = 0;
  std::int64_t open = 0;  ///< completions to come
  pcie::Status status = pcie::Status::success;
  bool lost = false;  ///< a completion went astray
  Femto done = 0;     ///< the latest of them
  std::uint64_t address = 0;
  Bytes bytes{};
  std::uint32_t next = nobody;        ///< the answer after it, if that is to the same transaction
  std::int32_t each = 0;              ///< completions for one request, if for several
  Femto entered = 0;                  ///< of a misdirected request: its completions enter their queue then
  std::vector<std::int32_t> missing;  ///< completions to come, by request, if these may overtake each other
};

/// Slots that are reused, by number.
template <class T>
class Pool {
 public:
  std::uint32_t take() { return frees_ == 0 ? grow() : free_[--frees_]; }
  void give(std::uint32_t i) { free_[frees_++] = i; }
  T& operator[](std::uint32_t i) { return items_[i]; }
  const T& operator[](std::uint32_t i) const { return items_[i]; }
  std::size_t size() const { return items_.size(); }

 private:
  [[gnu::noinline]] std::uint32_t grow() {
    items_.emplace_back();
    free_.resize(items_.size());
    return static_cast<std::uint32_t>(items_.size() - 1);
  }

  std::vector<T> items_;
  std::vector<std::uint32_t> free_;  ///< the first `frees_` of them
  std::size_t frees_ = 0;
};

}  // namespace peerpath::fabric
