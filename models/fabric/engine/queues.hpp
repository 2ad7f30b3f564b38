// How TLPs enter the queues of a node and leave them.
#pragma once

#include <algorithm>

#include "fabric/engine/state.hpp"

namespace peerpath::fabric::engine {

/// TLPs that start one after the other: the first at `first`, `count` in all, `spacing` apart.
struct Departure {
  Femto first = 0, spacing = 0, serialisation = 0;
  std::int32_t count = 1;
  Femto replaying = 0;  ///< failed transmissions and their recovery, before `first`
  Femto last() const { return first + (count - 1) * spacing; }
};

/// Whether a TLP is the first of its FIFO, may start, and when, is kept with the FIFO and its transmitter: each change
/// of a head touches the transmitter.
class Queues {
 public:
  explicit Queues(State& state) : s_{state} {}

  /// TLPs enter a FIFO.
  void enqueue(Fifo& fifo, const TlpRun& run);
  /// The last run of a FIFO, of the transaction of `record`, has entered it: it joins the one before if it continues
  /// that.
  [[gnu::always_inline]] void enter(Fifo& fifo, const Record& record);
  /// The head of a FIFO is another one, or lacks less than before.
  void refresh_head(Fifo& fifo) {
    const TlpRun& run = fifo.runs.front();
    Transmitter& x = *fifo.out;
    if (run.mark > 0 || fifo.blocked || x.vc1_classes != 0) return refresh_special_head(fifo);
    fifo.head = std::max(run.e, fifo.left);
    x.candidates[fifo.channel] |= fifo.bit;
    s_.touch(x);
  }
  /// The first TLPs of a FIFO have started on `x`: they leave it and free the credits that they held here.
  void leave(Transmitter& x, Fifo& fifo, const Departure& departure);

  /// Takes the first `count` TLPs off a run, which may be all.
  void go_ahead(TlpRun& run, std::int32_t count) const {
    run.count -= count;
    run.e += count * run.slope;
    run.address += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(run.step);
    if (run.per != 0) go_ahead_answers(run, count);
  }
  /// Cuts a run to its first `count` TLPs, which are not all.
  void cut(TlpRun& run, std::int32_t count) const;

  /// The FIFO where a router takes in what comes by `x` and one of its virtual channels.
  Fifo& entered(const Transmitter& x, const Fifo& left, const Record& record) const;
  /// Where the completions of a transaction wait at the endpoint that makes them.
  static Fifo& completions_of(const EndpointState& own, const Transaction& asked) {
    const int ingress = own.out->channel(asked) == 0 ? 0 : own.vc1_ingress;
    return own.out->fifos[0][ingress * 3 + static_cast<int>(pcie::TlpClass::completion)];
  }

 private:
  void refresh_special_head(Fifo& fifo);
  bool continues(const TlpRun& last, const TlpRun& run) const;
  void go_ahead_answers(TlpRun& run, std::int32_t count) const;

  State& s_;
};

inline void Queues::enter(Fifo& fifo, const Record& record) {
  Lane& lane = *fifo.lane;
  TlpRun& run = fifo.runs.back();
  run.mark = 0;
  bool may_join = true;
  constexpr int posted = static_cast<int>(pcie::TlpClass::posted);
  constexpr int completion = static_cast<int>(pcie::TlpClass::completion);
  if (fifo.tlp_class == posted) {
    lane.posted_in += run.count;
    lane.posted_by[record.sender(posted).value()] = lane.posted_in;
    may_join = !lane.marked;
    lane.marked = false;
  } else if (!(record.asked.relaxed_ordering && fifo.tlp_class == completion)) {
    run.mark = record.asked.id_based_ordering ? lane.posted_by[record.sender(fifo.tlp_class).value()] : lane.posted_in;
    lane.marked = lane.marked || run.mark > 0;
  }
  const std::size_t waiting = fifo.runs.size() - 1;
  if (waiting > 0) {
    TlpRun& last = fifo.runs[waiting - 1];
    const Femto step = run.e - last.last_e();
    if (may_join && last.record == run.record && last.mark == run.mark && step >= 0 &&
        (last.count == 1 || step == last.slope) && (run.count == 1 || step == run.slope) && continues(last, run)) {
      last.slope = step;
      last.count += run.count;
      last.tail = run.tail;
      fifo.runs.pop_back();
    }
    return;
  }
  if (fifo.held != nullptr) fifo.held->wait_for(lane.stream);
  refresh_head(fifo);
}

}  // namespace peerpath::fabric::engine
