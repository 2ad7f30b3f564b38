// The computed engine. Every transmitter knows when its next TLP will start as far as that is determined; the engine
// takes the earliest such decision, carries it out, and works out anew the few decisions that it touches. Since every
// effect of a start lies later than the start, taking them in order of time is exact. While nothing can interfere, one
// decision carries a whole run of equal TLPs (a train), with its times as an arithmetic progression.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "fabric/decision_tree.hpp"
#include "fabric/engine_state.hpp"
#include "fabric/recurrence.hpp"
#include "fabric/wiring.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

class Engine final : public Fabric {
 public:
  /// `trains`: times of equal TLPs in closed form rather than one after the other.
  Engine(const Topology& topology, DeliverySink& sink, bool trains);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) override;
  void respond(RequestId request, Instant ready, pcie::Status status) override;
  Instant advance(Instant limit) override;
  void set_link(LinkId link, bool up) override;
  void set_route(const Route& route) override;
  void set_timing(LinkId link, int direction, const LineTiming& timing) override;
  void set_rate(LinkId link, int direction, BitRate rate) override;
  void leak_credits(LinkId link, int direction, pcie::TlpClass tlp_class, Credits lost) override;
  void strike(LinkId link, int direction) override;
  DirectionCounters counters(LinkId link, int direction) const override;
  std::vector<Waiting> waiting() const override;
  void observe(TlpObserver* observer) override {
    catch_up();
    observer_ = observer;
  }

 private:
  /// TLPs that start one after the other: the first at `first`, `count` in all, `spacing` apart.
  struct Departure {
    Femto first = 0, spacing = 0, serialisation = 0;
    std::int32_t count = 1;
    Femto replaying = 0;  ///< failed transmissions and their recovery, before `first`
    Femto last() const { return first + (count - 1) * spacing; }
  };

  // engine_build.cpp
  void build_transmitters();
  void build_recurrence();
  static void set_times(Transmitter& x, BitRate rate);
  static void set_dllp_intervals(Transmitter& x, Duration acks, Duration updates);
  void build_nodes();
  void build_routes(NodeState& node);
  Transmitter& outgoing(const Port& port) {
    return transmitters_[port.link.value() * 2u + static_cast<unsigned>(port.outgoing)];
  }
  Transmitter& incoming(const Port& port) { return *outgoing(port).reverse; }

  /// Credits and server of a TLP that goes on `x`.
  std::size_t pool(const Transmitter& x, int tlp_class, const TlpRun& run) const {
    const auto of_class = static_cast<std::size_t>(tlp_class);
    if (x.vc1_classes == 0) [[likely]]
      return of_class;
    return x.channel(records_[run.record].asked) == 0 ? of_class : pcie::tlp_classes + of_class;
  }
  /// Where a router takes in what has come by one of the pools of `x`.
  static Queue& next_queue(const Transmitter& x, std::size_t pool) {
    const auto number = static_cast<int>(pool);
    if (number < static_cast<int>(pcie::tlp_classes)) return x.peer->queues[x.peer_port * 3 + number];
    return x.peer->queues[(x.vc1.ingress - 1) * 3 + number];
  }
  /// Where the completions of a transaction wait at the endpoint that makes them.
  static Queue& completions_queue(const Leaf& own, const Transaction& asked) {
    const int ingress = own.out->channel(asked) == 0 ? 0 : own.vc1_ingress;
    return own.node->queues[ingress * 3 + static_cast<int>(pcie::TlpClass::completion)];
  }

  // engine.cpp: time
  void drop_bounds();
  void play();
  void start_next(Transmitter& x);
  bool try_put_off(Transmitter& x) { return x.decision + x.propagation + x.peer->latency >= horizon_ && put_off(x); }
  bool put_off(Transmitter& x);
  void unpark();
  void catch_up();

  // engine.cpp: queues
  Leaf& leaf(NodeId node) { return *nodes_[node.value()].leaf; }
  void submit_other(Leaf& own, std::uint32_t index);
  void count_coming(Record& record, Leaf& requester);
  void enqueue(NodeState& node, Queue& fifo, const TlpRun& run);
  bool continues(const TlpRun& last, const TlpRun& run) const;
  void go_ahead(TlpRun& run, std::int32_t count) const;
  void refresh_head(NodeState& node, Queue& fifo);
  void touch(Transmitter& x) {
    if (x.touched) return;
    x.touched = true;
    touched_.push_back(&x);
  }
  void settle() {
    if (!touched_.empty()) settle_touched();
  }
  void settle_touched() {
    for (Transmitter* x : touched_) {
      x->touched = false;
      decide(*x);
    }
    touched_.clear();
  }

  // engine_routes.cpp: routes that change, TLPs that go astray
  void allow_turns();
  void review_routes();
  void expect_strays();
  void note_to_itself() {
    to_itself_ = true;
    expect_strays();
  }
  bool arrives(const Leaf& source, const Leaf& target, std::size_t kind) const;
  void mark_old(Queue& fifo) {
    old_runs_ += fifo.runs.size() - fifo.old;
    fifo.old = fifo.runs.size();
  }
  void pop(Queue& fifo) {
    fifo.runs.pop();
    if (fifo.old == 0) return;
    --fifo.old;
    --old_runs_;
  }

  // engine_decide.cpp: who starts next, and for how long nothing interferes
  void decide(Transmitter& x);
  void work_out(Transmitter& x);
  static Femto after_dllps(const Transmitter& x, Femto start);
  Femto decide_among(Transmitter& x);
  Femto undisturbed_until(const Transmitter& x, const Queue& fifo, Femto now, Femto wanted);
  Femto next_arrival(const Transmitter& x, std::uint64_t slots, Femto now);
  Femto earliest_reaction(Femto now) const;
  /// No start on `x` that is not known at `now` comes before this.
  Femto next_start(const Transmitter& x, Femto now) const {
    if (x.peer->leaf == nullptr || x.peer->leaf->inbound != 0 || may_stray_) return next_start_of_all(x, now);
    // Only something yet to be submitted can come here.
    return notices_coming_ == 0 ? horizon_ : std::min(horizon_, earliest_reaction(now));
  }
  Femto next_start_of_all(const Transmitter& x, Femto now) const;
  Femto next_dllp(const Transmitter& x, Femto start) const;
  static Femto earliest_behind(const Transmitter& x, std::uint64_t slots);
  static Femto earliest_here(const Transmitter& x, Femto now);
  Femto earliest_arrival(const Leaf& leaf, Femto now) const;
  Femto earliest_stimulus(const Leaf& leaf, Femto now) const {
    if (notices_coming_ == 0 && leaf.requests_coming == 0 && !may_stray_) return unknown_time;
    return earliest_of_stimuli(leaf, now);
  }
  Femto earliest_of_stimuli(const Leaf& leaf, Femto now) const;

  // engine_transmit.cpp: starts and what follows from them
  void carry_out(Transmitter& x);
  static void count_tlps(Transmitter& x, const Record& record, const TlpRun& run, const Departure& departure) {
    Tally& tally = x.tallies[record.tally];
    tally.tlps += departure.count;
    tally.payload += Bytes{4 * run.data_dw * departure.count};
    tally.overhead += Bytes{(4 * (run.dw - run.data_dw) + x.framing) * departure.count};
    x.busy += departure.serialisation * departure.count;
    x.free = departure.last() + departure.serialisation;
  }
  Departure plan(Transmitter& x, const Queue& fifo, const TlpRun& run, CreditLoop& credit);
  Departure plan_paced(Transmitter& x, const Queue& fifo, const TlpRun& run, CreditLoop& credit, Departure departure,
                       std::int64_t most);
  void send_on(Transmitter& x, const Queue& fifo, Queue& entered, TlpRun& sent, const Departure& departure);
  void leave_queue(Transmitter& x, Queue& fifo, const Departure& departure);
  void replay(Transmitter& x, const TlpRun& run, Departure& departure);
  void take_tags(Leaf& leaf, const TlpRun& run, const Departure& departure);
  void send_dllps(Transmitter& x, Femto until);
  static DllpBatch caused(const Transmitter& x, Femto& next_ack, Femto& next_fc, Femto first, Femto spacing,
                          std::int32_t count);
  static void retire_dllps(Transmitter& x, Femto until);
  void cause_dllps(Transmitter& x, Femto first, Femto spacing, std::int32_t count, Femto now);
  void record_tlps(const Transmitter& x, int tlp_class, const TlpRun& run, const Departure& departure);

  // engine_corridor.cpp: leaf to leaf, undisturbed
  static NodeId destination(int tlp_class, const Record& record) {
    return tlp_class == static_cast<int>(pcie::TlpClass::completion) ? record.requester : record.asked.target;
  }
  /// Where a run goes that leaves `x`; the corridor's second transmitter.
  [[gnu::always_inline]] Transmitter& next_hop(const Transmitter& x, int tlp_class, const Record& record) {
    const std::size_t to = destination(tlp_class, record).value();
    return transmitters_[x.peer
                             ->routes[(static_cast<std::size_t>(x.peer_port) * nodes_.size() + to) * pcie::route_kinds +
                                      static_cast<std::size_t>(record.kind(tlp_class))]];
  }
  bool sole_source(const Transmitter& z, const NodeState& source) const;
  bool only_way(const Transmitter& x, const Transmitter& z, NodeId to) const;
  Femto unnoticed_until(const Transmitter& z, const Leaf& source, Femto now) const;
  static Femto eligible_at(const Queue& fifo, const TlpRun& run);
  static bool awaited(const NodeState& node, const Queue& posted, Femto now);
  static Departure in_line(const TlpRun& run, Femto start, Femto serialisation);
  /// The way of the runs of one FIFO from a leaf through one router to another leaf.
  struct Corridor {
    Transmitter &x, &z;
    NodeId to;
    Queue &fifo, &relay;
    Femto now, known;              ///< a parked decision lies before what is known
    Femto limit, second_limit;     ///< the first link and the second are theirs alone until then
    Femto back, back_there;        ///< nobody comes to the ways back before that
    Crossing* crossing = nullptr;  ///< of the first run, if that is known

    /// Whether what starts next may wait for the next `advance`: its last TLP cannot start on the second link before
    /// the horizon, so nothing comes of it before; what follows it cannot reach the router's other links before; and
    /// nobody is on the ways back, whom its DLLPs could meet.
    bool may_wait(Femto horizon) const {
      const Femto start = x.decision;
      return crossing != nullptr && start < horizon && std::min({limit, second_limit, back, back_there}) >= horizon &&
             start + crossing->last_there >= horizon &&
             start + crossing->occupied + x.propagation + x.peer->latency >= horizon;
    }
  };
  bool pass_through(Transmitter& x);
  bool pass_run(const Corridor& way);

  // engine_stream.cpp: packet after packet
  struct Stream;
  enum class Outcome : std::uint8_t { passed, late, other };  ///< `late`: the next packet would not be over in time
  Outcome pass_alike(Corridor& way);

  // engine_steady.cpp: read after read
  struct ReadLoop;
  bool repeat_reads(Transmitter& x, Queue& fifo);
  void forget_steady_reads();

  // engine_recurrence.cpp: the state of the domain as numbers
  std::uint32_t flow_of(NodeId requester, ChannelIndex channel, pcie::Operation op) const {
    return nodes_[requester.value()].queues[channel.value() * 3 + static_cast<int>(pcie::request_class(op))].flow;
  }
  std::uint32_t flow_of(const Record& record) const {
    return flow_of(record.requester, record.channel, record.asked.op);
  }
  std::size_t kind_of(const Record& record);
  void gather_flows(Femto edge);
  template <class Archive>
  void archive_place(Archive& a, std::uint32_t& record);
  template <class Archive>
  void archive_answer(Archive& a, std::uint32_t& answer);
  template <class Archive>
  void archive_run(Archive& a, TlpRun& run, const Queue& fifo);
  template <class Archive>
  void archive_transmitter(Archive& a, Transmitter& x);
  template <class Archive>
  void archive_ingress(Archive& a, NodeState& node, Queue* queues);
  template <class Archive>
  void archive_head(Archive& a, NodeState& node, Queue& fifo);
  template <class Archive>
  void archive_flow(Archive& a, recurrence::Flow& flow);
  template <class Archive>
  void archive_leaf(Archive& a, Leaf& leaf);
  template <class Archive>
  void archive_all(Archive& a);
  bool describe_state(const Transmitter& x);
  recurrence::Coming coming_in(const recurrence::Flow& flow, std::size_t i, Femto now, std::int64_t posted_out);
  void restore_state(const std::vector<std::int64_t>& numbers, Femto now);

  // engine_learn.cpp: what follows from a state
  int find_state(int expected);
  void begin_step(Femto now);
  void end_step(int state, Femto now);
  bool learn(recurrence::Step& step, Femto now);
  bool learn_flows(recurrence::Step& step);
  bool learn_told(recurrence::Step& step);
  bool learn_questions(recurrence::Step& step);
  static void learn_alike(recurrence::Step& step, std::uint32_t number);
  void learn_books(recurrence::Step& step);
  void note_question(const Transmitter& x, int tlp_class, const TlpRun& asked, const TlpRun& passed);
  void hear(bool learning) {
    recurrence_.listener.learning = learning;
    sink_ = learning || recurrence_.listener.ahead > 0 ? &recurrence_.listener : recurrence_.listener.to;
  }
  void forget_recurrence() {
    recurrence_.forget();
    hear(false);
  }
  /// Somebody has changed the topology.
  void look_afresh() {
    forget_recurrence();
    recurrence_.budget.hope();
  }

  // engine_fast_forward.cpp: states that come again
  struct FastForward;
  bool may_recur() const;
  bool try_fast_forward(Transmitter& x) {
    if (recurrence_.budget.rest == 0) return fast_forward_from(x);
    --recurrence_.budget.rest;
    return false;
  }
  bool fast_forward_from(Transmitter& x);
  bool fast_forward_on();
  TlpRun foreseen(Transmitter& x, TlpRun rest);

  // engine_contend.cpp: several ingresses, one leaf
  struct Contest;
  bool contend(Transmitter& z);

  // engine_receive.cpp: what an endpoint does with what arrives
  void receive(Transmitter& x, int tlp_class, const TlpRun& run, Femto first, Femto spacing, std::int32_t count);
  void receive_passed(Transmitter& x, int tlp_class, const TlpRun& run, Femto first, Femto spacing, std::int32_t count);
  TlpRun through_gate(Transmitter& x, int tlp_class, TlpRun rest);
  /// The TLPs of a run come to the gate of `x` at run.e and so on: `go_on` gets them as runs that leave it.
  template <class GoOn>
  void pass_gate(Transmitter& x, int tlp_class, TlpRun run, GoOn&& go_on) {
    while (run.count > 0) {
      const TlpRun passed = through_gate(x, tlp_class, run);
      go_ahead(run, passed.count);
      go_on(passed);
    }
  }
  Femto take_in(Transmitter& x, Leaf& leaf, int tlp_class, const TlpRun& run, Femto first, Femto spacing,
                std::int32_t count);
  [[gnu::always_inline]] void finish_posted(const Record& record, std::uint32_t index, Leaf& target, Femto done) {
    const Transaction& t = record.asked;
    --target.inbound;
    records_.give(index);
    const bool notify = t.notify_target | t.notify_requester;
    if (notify) {
      if (t.notify_target) notice(target, done);
      if (t.notify_requester) --leaf(record.requester).echoes_coming, notice(leaf(record.requester), done);
    }
    sink_->deliver(record.told(DeliveryKind::arrived, notify, record.status, done));
  }
  void receive_completions(Transmitter& x, const TlpRun& run, Femto first, Femto spacing, std::int32_t count);
  static bool ends_request(Answer& answer, std::int32_t number, std::int32_t count);
  void take_in_stray(const Leaf& own, std::uint32_t index, Femto done);
  void take_in_misdirected(Leaf& own, const TlpRun& run, Femto done, std::uint64_t address);
  void take_in_request(Transmitter& x, Leaf& leaf, const TlpRun& run, Femto arrival, std::uint64_t address);
  void answer(Leaf& leaf, std::uint32_t answer, Femto data_ready, bool from_read_server);
  void bring_forward(Leaf& own, Queue& fifo, std::size_t first);
  void finish_request(std::uint32_t record, pcie::Status status, Femto done, std::int32_t count = 1);
  bool take_in_requests(Transmitter& x, Leaf& leaf, const TlpRun& run, Femto first, Femto spacing, std::int32_t count);
  void queue_answer(Leaf& leaf, std::uint32_t index, TlpRun& tlps);
  void notice(Leaf& leaf, Femto done);

  // engine_wait.cpp: endpoints with one receive queue; what waits for what
  void hold(Transmitter& x, int tlp_class, const TlpRun& run, Femto first, Femto spacing, std::int32_t count);
  void pass_held(Leaf& own);
  void note_left(const Queue& fifo, Leaf& own, const Departure& departure);
  std::int64_t completions_for(const Leaf& own, const TlpRun& run) const;
  Waiting waiting_in(const NodeState& node, const Queue& fifo) const;

  const Topology topology_;
  const Wiring wiring_;
  DeliverySink* sink_;
  const bool trains_;
  TlpObserver* observer_ = nullptr;

  // Sized once: the parts point at each other.
  std::vector<Transmitter> transmitters_;  ///< link * 2 + direction
  std::vector<NodeState> nodes_;
  std::vector<Ingress> ingresses_;
  std::vector<Queue> queues_;
  std::vector<Leaf> leaves_;
  Pool<Record> records_;
  Pool<Answer> answers_;
  DecisionTree decisions_;
  std::vector<Transmitter*> touched_;
  Ring<Transmitter*> parked_;  ///< their starts before the horizon wait until more is known
  bool playing_ = false, parking_ = false;
  bool put_off_ = false;  ///< some of them is on no corridor
  bool loose_ = false;    ///< the same of those that were parked before the present `advance`

  Femto horizon_ = 0;          ///< no start at or after this in the present `advance`
  Femto reached_ = 0;          ///< what the last `advance` returned
  Femto played_ = 0;           ///< all starts before this have been made, but for those that are parked
  std::vector<Femto> bounds_;  ///< heap of done + reaction of notices
  std::int64_t notices_coming_ = 0;
  Femto shortest_arrival_ = unknown_time;  ///< a start at t is not noticed by any endpoint before t + this
  Femto side_latency_ = 0;
  bool rerouted_ = false;     ///< TLPs from one leaf to another may go several ways, and back by the link they came by
  bool held_ = false;         ///< some endpoint has one receive queue
  bool reviewed_ = true;      ///< `misrouted_` is up to date
  bool misrouted_ = false;    ///< some route ends at another endpoint than the target
  bool to_itself_ = false;    ///< an endpoint has sent to itself
  bool may_stray_ = false;    ///< a TLP under way, or one still to be sent by the present routes, may go astray
  std::size_t old_runs_ = 0;  ///< of all routers (Queue::old)
  std::uint64_t serial_ = 0;  ///< Record::serial
  bool recurs_ = false;       ///< states may come again
  Recurrence recurrence_;
};

}  // namespace peerpath::fabric
