// Starts of TLPs: which comes next on a transmitter, how many follow it as a train, and where they go.
#pragma once

#include "fabric/engine/lookahead.hpp"
#include "fabric/engine/queues.hpp"
#include "fabric/engine/receiver.hpp"

namespace peerpath::fabric::engine {

/// The sending half. What happens rarely is kept out of line, so that the frequent way keeps its registers. Invariant
/// between two calls: of each transmitter that is not `touched`, `decision` and `winner` say what starts next as far as
/// everything before that time is known.
class Sender {
 public:
  Sender(State& state, Queues& queues, const Lookahead& ahead, Receiver& receiver)
      : s_{state}, queues_{queues}, ahead_{ahead}, receiver_{receiver} {}

  /// Works out the decisions that were touched.
  void settle() {
    if (!s_.touched.empty()) settle_touched();
  }

  /// The decision of `x` is the earliest: its TLPs start, and what waits behind them as far as all before that is
  /// known.
  void carry_out(Transmitter& x);

  /// Whether what starts next on `x` may wait for the next `advance`: the horizon would cut it in two, and nothing
  /// comes of it before the horizon.
  bool may_put_off(const Transmitter& x) const {
    return x.node->endpoint != nullptr && x.decision + x.propagation + x.peer->latency >= s_.horizon && is_cut(x);
  }

 private:
  void settle_touched();
  bool is_cut(const Transmitter& x) const;
  void decide(Transmitter& x);
  void start(Transmitter& x, Femto now, Femto& foreseen);
  Femto decide_among(Transmitter& x);
  Femto ready(Transmitter& x, const Fifo& fifo);
  Departure plan(Transmitter& x, const Fifo& fifo, const TlpRun& run, CreditLoop& credit, Femto& foreseen);
  void plan_train(Transmitter& x, const Fifo& fifo, CreditLoop& credit, Departure& departure, Femto& foreseen);
  void plan_paced(Transmitter& x, const Fifo& fifo, CreditLoop& credit, Departure& departure, std::int64_t most);
  static void replay(Transmitter& x, const TlpRun& run, Departure& departure);
  void take_tags(EndpointState& endpoint, const TlpRun& run, const Departure& departure);
  void send_on(Transmitter& x, const Fifo& fifo, const TlpRun& run, const Record& record, const Departure& departure);
  void note_sent(EndpointState& endpoint, Fifo& fifo, const TlpRun& run, const Departure& departure);
  void record_tlps(const Transmitter& x, const Fifo& fifo, const Departure& departure);

  State& s_;
  Queues& queues_;
  const Lookahead& ahead_;
  Receiver& receiver_;
};

}  // namespace peerpath::fabric::engine
