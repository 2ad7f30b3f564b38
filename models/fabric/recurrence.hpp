// States of a whole domain that come again, and what follows from each (engine_recurrence.cpp, engine_learn.cpp,
// engine_fast_forward.cpp, engine_ask.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/engine_state.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {

/// Writes a state as numbers, with times from one moment on.
class StateWriter {
 public:
  static constexpr bool restores = false;

  StateWriter(std::vector<std::int64_t>& to, Femto now) : to_{to}, now_{now} {}
  Femto now() const { return now_; }

  template <class T>
  void number(const T& value) {
    to_.push_back(static_cast<std::int64_t>(value));
  }
  void time(Femto t) { to_.push_back(t == unknown_time ? t : t - now_); }
  /// What lies before `floor` is as good as that.
  void time(Femto t, Femto floor) { time(std::max(t, floor)); }
  template <class Ring, class Each>
  void ring(Ring& items, Each&& each) {
    number(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) each(items[i]);
  }

 private:
  std::vector<std::int64_t>& to_;
  Femto now_;
};

/// Makes of such numbers the state as it is at another moment.
class StateReader {
 public:
  static constexpr bool restores = true;

  StateReader(const std::vector<std::int64_t>& from, Femto now) : next_{from.data()}, now_{now} {}
  Femto now() const { return now_; }

  template <class T>
  void number(T& value) {
    value = static_cast<T>(*next_++);
  }
  void time(Femto& t) {
    t = *next_++;
    if (t != unknown_time) t += now_;
  }
  void time(Femto& t, Femto) { time(t); }
  template <class Ring, class Each>
  void ring(Ring& items, Each&& each) {
    std::size_t size = 0;
    number(size);
    items.clear();
    for (std::size_t i = 0; i < size; ++i) each(items.push({}));
  }

 private:
  const std::int64_t* next_;
  Femto now_;
};

namespace recurrence {

/// The transactions of one own channel and class of an endpoint are a flow: they start one after the other. Its place
/// in a flow names a transaction: 0 is the oldest one under way in the state from which a step begins.
struct Place {
  std::uint32_t flow = 0, rank = 0;
  bool operator==(const Place&) const = default;
};

/// No TLP crosses 4 KiB, so that what lies above makes no difference to how a transaction is cut.
inline bool same_kind(const Record& a, const Record& b) {
  return a.alike(b) && ((a.asked.address ^ b.asked.address) & 0xfff) == 0;
}

/// A transaction that becomes ready within a step.
struct Coming {
  std::uint32_t flow = 0, kind = 0;
  Femto e = 0;
  std::uint64_t shape = 0;
  std::int64_t count_and_step = 0, mark = 0;
};

struct Told {
  Place place;
  Femto done = 0;
};

/// TLPs of one transaction that come to a gate, each with the next `step` bytes, and by how much it delayed them.
struct Gated {
  int transmitter = 0, tlp_class = 0;
  Place place;
  std::uint64_t offset = 0;  ///< of the address in the transaction
  std::int32_t step = 0, count = 0;
  Femto delay = 0;
};
/// The first of them, but for its time.
inline GatedTlp tlp_of(const Gated& gated, const Record& record) {
  return {.tlp_class = static_cast<pcie::TlpClass>(gated.tlp_class),
          .op = record.asked.op,
          .purpose = record.asked.purpose,
          .translated = record.asked.translated,
          .refused = record.refused(gated.tlp_class),
          .requester = record.requester,
          .target = record.asked.target,
          .address = record.asked.address + gated.offset,
          .bytes = Bytes{gated.step},
          .at = {}};
}

/// What a gate has been asked.
struct Question : Gated {
  Femto at = 0, slope = 0;
  Femto start = 0;  ///< of the first TLP
};
/// Several questions about one transaction with the same delay, whatever came between these.
struct Questions : Gated {
  std::vector<std::uint32_t> parts;  ///< numbers of the questions
  Femto at = 0, last_at = 0, start = 0, last_start = 0;
};
/// Those of one gate, by when the last TLP of each has started.
struct AskedGate {
  int transmitter = 0;
  std::int64_t tlps = 0;
  std::vector<Questions> all;
  std::vector<AlikeTlps> asked;  ///< the same, but for addresses and times
};

struct Counted {
  std::uint32_t transmitter = 0, tally = 0;
  std::int64_t tlps = 0, payload = 0, overhead = 0;
};
struct Booked {
  std::uint32_t transmitter = 0;
  std::int64_t dllps = 0;
  Femto busy = 0, queueing = 0, credit_stall = 0;
};
struct Expected {
  std::uint32_t leaf = 0;
  std::int64_t inbound = 0, requests_coming = 0, requests = 0;
};

/// How one flow moves on in a step.
struct Progress {
  std::uint32_t flow = 0, delivered = 0;
  std::int64_t posted = 0;  ///< TLPs that have left
};

/// What follows from a state until the next transaction of the endpoint starts that is looked at.
struct Step {
  int to = -1;  ///< state; -1: not known
  Femto span = 0;
  std::vector<Coming> coming;
  std::vector<Told> told;
  std::vector<Question> questions;
  std::vector<AskedGate> gates;      ///< the same by gate
  Femto first_start = unknown_time;  ///< of the TLPs that these are asked about
  std::vector<Counted> counted;
  std::vector<Booked> booked;
  std::vector<Expected> expected;
  std::vector<Progress> progress;
};

struct State {
  struct Begun {
    std::uint32_t flow = 0, under_way = 0;
    bool in_part = false;
  };
  std::uint64_t hash = 0;
  std::vector<std::int64_t> numbers;
  std::vector<Begun> begun;  ///< of the flows of which something is under way
  Femto ahead = 0;           ///< until then it has been computed what starts
  std::int64_t times = 0;    ///< the step has been gone so often and is not counted yet
  Step step;
};

/// Hears what is delivered while a step is learnt, and tells it on, but for what has been told before.
struct Listener final : DeliverySink {
  static constexpr std::size_t most = 256;

  DeliverySink* to = nullptr;
  bool learning = false;
  std::vector<Delivery> heard;
  // All that is done by then has been told, in whatever order it will be played.
  Femto told_until = -1;
  std::size_t ahead = 0;  ///< so much of it has not been played yet

  void deliver(const Delivery& delivery) override {
    if (learning && heard.size() < most) heard.push_back(delivery);
    if (!told_before(femtoseconds(delivery.done))) to->deliver(delivery);
  }
  /// Whether what is done then and is delivered now has been told; each is asked about once.
  bool told_before(Femto done) {
    if (ahead == 0 || done > told_until) return false;
    --ahead;
    return true;
  }
};

/// To look at a state costs, steps that are repeated bring in. When nothing is left there is a rest, each time twice as
/// long as before, so that where nothing comes again the search hardly counts.
struct Budget {
  static constexpr std::int64_t most = 256, least_pause = 64, longest_pause = std::int64_t{1} << 40;

  std::int64_t left = 96, pause = least_pause;
  std::int64_t rest = 0;  ///< so many starts are not looked at

  void spend(std::int64_t some) {
    left -= some;
    if (left > 0) return;
    rest = pause;
    pause = std::min(2 * pause, longest_pause);
    left = 96;
  }
  void earn(std::int64_t some) {
    left = std::min(left + some, most);
    if (left == most) pause = least_pause;
  }
  void give_up() { rest = longest_pause; }
  /// Something else may come from now on.
  void hope() { rest = std::min(rest, 16 * least_pause); }
};

/// One flow as it is now.
struct Flow {
  NodeState* node = nullptr;
  Queue* queue = nullptr;
  std::vector<std::uint32_t> under_way;  ///< transactions, the oldest first
  bool begun = false;                    ///< the last of these has not wholly started
  std::size_t ripe = 0;                  ///< runs of the queue that are ready or begun
  // Of those that are looked at in fast-forwarding.
  std::size_t next = 0;  ///< run of the queue
  std::size_t delivered = 0;
  std::int64_t posted = 0;

  /// Its i-th transaction from now on.
  std::uint32_t operator[](std::size_t i) const {
    return i < under_way.size() ? under_way[i] : queue->runs[i - under_way.size() + (begun ? 1 : 0)].record;
  }
};

}  // namespace recurrence

/// What the engine remembers of states that may come again.
struct Recurrence {
  static constexpr std::size_t most_kinds = 16;

  std::vector<recurrence::Flow> flows;  ///< of all own channels of endpoints
  std::vector<Record> kinds;            ///< transactions of different kinds, one of each
  std::vector<recurrence::State> states;
  recurrence::Listener listener;
  int anchor = -1;             ///< transmitter at whose starts it looks
  std::int32_t elsewhere = 0;  ///< starts of others since
  recurrence::Budget budget;

  // The state that is looked at.
  std::vector<std::int64_t> numbers;
  bool failed = false;
  Femto ahead = 0;
  std::uint32_t round = 0;
  std::vector<std::uint32_t> active;                 ///< flows with something under way or to start
  std::vector<std::uint32_t> met_in, place_of;       ///< by record
  std::vector<std::uint32_t> answers;                ///< as they are met
  std::vector<std::vector<std::uint32_t>> restored;  ///< transactions under way, by flow
  Femto forwarded_to = -1;

  // What is fast-forwarded: the domain stands as it did at the beginning of this, but for what it has delivered and
  // counted.
  bool riding = false;
  int state = 0;
  Femto now = 0;
  std::size_t steps = 0;
  std::vector<std::uint32_t> over;          ///< transactions that are
  std::vector<std::int64_t> in_hand, used;  ///< by transmitter: answers of gates for TLPs that are to come
  Femto asked_until = 0;                    ///< of what is fast-forwarded the gates know what starts before this
  std::vector<AlikeTlps> alike;
  std::vector<Femto> alike_last;        ///< when the last TLP of each starts
  std::vector<std::size_t> alike_ends;  ///< by gate
  std::vector<std::size_t> next_then;

  // The one before, while it is learnt what follows from it.
  struct Asked {
    std::uint32_t record = 0;
    recurrence::Question question;
  };
  struct Books {
    std::int64_t dllps = 0;
    Femto busy = 0, queueing = 0, credit_stall = 0;
    std::vector<Tally> tallies;
  };
  int last = -1;  ///< state
  Femto at = 0, epoch = 0;
  std::vector<std::vector<std::uint32_t>> sequence;  ///< by flow: under way, then waiting
  std::vector<std::size_t> under_way;                ///< by flow: how many
  std::vector<std::vector<recurrence::Coming>> coming;
  std::vector<std::int64_t> posted_out;
  std::vector<Asked> asked;
  std::vector<Books> books;
  std::vector<recurrence::Expected> expected;

  void forget() {
    states.clear();
    kinds.clear();
    last = -1;
  }
};

}  // namespace peerpath::fabric
