#include "fabric/differential/driver.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "fabric/check/protocol_checker.hpp"
#include "fabric/vocabulary/deadlock.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric::differential {
namespace {

auto key(const Delivery& d) {
  return std::tuple{d.done,  d.kind,   d.requester, d.channel, d.cookie, d.target, d.address,
                    d.bytes, d.status, d.op,        d.purpose, d.notify, d.ready};
}

auto key(const TlpRecord& t) { return std::tuple{t.link, t.direction, t.start}; }

constexpr int cookie_shift = 32;
constexpr std::size_t accounts = 3;

/// A exchange's number in the high half of a cookie; planned transactions have 0 there.
std::uint64_t cookie_of(std::size_t exchange, std::uint64_t n) { return ((exchange + 1) << cookie_shift) | n; }

/// Holds some TLPs up, one after the other, for a time that depends on all that a gate is told.
class Obstacle final : public Gate {
 public:
  explicit Obstacle(const GatePlace& place)
      : state_{place.seed},
        latency_{static_cast<std::int64_t>(place.seed % 2 == 0 ? 0 : mix(place.seed) % 50'000'000)},
        one_in_{place.seed % 5 != 0   ? 4u
                : place.seed % 3 == 0 ? 256u
                                      : 2048u},
        alike_{place.alike},
        left_{place.alike} {}

  Instant pass(const GatedTlp& tlp) override {
    if (goes_on(tlp)) return tlp.at + latency_;
    free_ = std::max(free_, tlp.at) + Duration{static_cast<std::int64_t>(state_ >> 8) % 300'000'000};
    return free_;
  }

  /// As long as they are not held up.
  GatedRun pass_run(const GatedTlp& tlp, Duration spacing, std::int32_t count) override {
    const Instant first = pass(tlp);
    GatedTlp next = tlp;
    GatedRun run{first, 1};
    if (first != tlp.at + latency_) return run;
    for (; run.count < count; ++run.count) {
      next.at += spacing;
      next.address += static_cast<std::uint64_t>(tlp.bytes.count());
      const Obstacle before = *this;
      if (pass(next) == next.at + latency_) continue;
      *this = before;  // to be asked again
      break;
    }
    return run;
  }

 private:
  /// Whether it is not held up.
  bool goes_on(const GatedTlp& tlp) {
    std::uint64_t about = 0;
    for (const std::uint64_t known :
         {static_cast<std::uint64_t>(tlp.tlp_class), static_cast<std::uint64_t>(tlp.op),
          static_cast<std::uint64_t>(tlp.purpose), std::uint64_t{tlp.translated}, std::uint64_t{tlp.relaxed_ordering},
          std::uint64_t{tlp.refused}, std::uint64_t{tlp.requester.value()}, std::uint64_t{tlp.target.value()},
          tlp.address, static_cast<std::uint64_t>(tlp.bytes.count())})
      about = mix(about ^ known);
    state_ = alike_ == 0 ? mix(state_ ^ about) : state_ + about;  // in whatever order, if it only counts
    if (alike_ == 0) return state_ % one_in_ != 0;
    if (left_-- > 0) return true;
    left_ = alike_;
    return false;
  }

  std::uint64_t state_;
  Duration latency_;  ///< of all
  std::uint64_t one_in_;
  std::int64_t alike_, left_;  ///< so many go on alike before one is held up, and so many are left
  Instant free_{};
};

class Player final : public DeliverySink, public TlpObserver {
 public:
  Player(const Scenario& scenario, const Make& make, bool check)
      : scenario_{scenario},
        checked_{check || scenario.observed},
        random_{scenario.seed, "player"},
        fabric_{make(with_gates(), *this)} {
    if (checked_) fabric_->observe(this);
    states_.resize(scenario.exchanges.size());
    for (std::size_t r = 0; r < scenario.exchanges.size(); ++r) {
      const Exchange& exchange = scenario.exchanges[r];
      states_[r].buffers = exchange.depth;
      if (exchange.kind == Exchange::Kind::receive_ring) {
        for (const Instant at : exchange.frames) timers_.emplace(at, r);
      } else {
        timers_.emplace(exchange.begin, r);
      }
    }
  }

  Outcome play() {
    while (now_ < scenario_.end && outcome_.broken.empty()) {
      act();
      const Instant limit = next_limit();
      for (; next_planned_ < scenario_.planned.size(); ++next_planned_) {
        const Planned& p = scenario_.planned[next_planned_];
        if (p.transaction.ready >= limit) break;
        submit(p.requester, p.channel, p.transaction);
      }
      const Instant reached = fabric_->advance(limit);
      if (reached > limit || reached < now_)
        outcome_.broken = "advance returned a time beyond its limit or in the past";
      now_ = reached;
      if (scenario_.seed % 3 == 0 && ++advances_ % 7 == 0)  // somebody looks
        fabric_->counters(LinkId{static_cast<std::uint16_t>(advances_ % scenario_.topology.links.size())}, 0);
    }
    return take_outcome();
  }

  void deliver(const Delivery& delivery) override {
    outcome_.deliveries.push_back(delivery);
    if (delivery.kind == DeliveryKind::arrived || delivery.kind == DeliveryKind::completed) --outstanding_;
    const auto [target, requester] = notified(delivery);
    if (delivery.notify != (target || requester))
      outcome_.broken = "notify differs from what the transaction asked for";
    if (target) notice(delivery, delivery.target);
    if (requester) notice(delivery, delivery.requester);
  }
  void observe(const TlpRecord& tlp) override { outcome_.tlps.push_back(tlp); }

 private:
  struct Notice {
    Instant at{};
    Delivery delivery;
  };
  struct LateAnswer {
    RequestId request{};
    pcie::Status status{};
  };
  /// What comes by a exchange's cable to `a` or `c`.
  struct Frame {
    std::size_t exchange = 0;
    bool to_c = false;
  };
  struct State {
    std::uint64_t sent = 0;
    int buffers = 0;
    int waiting_frames = 0;
  };

  Topology with_gates() {
    Topology topology = scenario_.topology;
    topology.accounts = accounts;
    for (const GatePlace& place : scenario_.gates) {
      gates_.push_back(std::make_unique<Obstacle>(place));
      topology.links[place.link.value()].direction[static_cast<std::size_t>(place.direction)].gate =
          gates_.back().get();
    }
    return topology;
  }

  /// Who is to be told of a delivery: the target, the requester.
  std::pair<bool, bool> notified(const Delivery& delivery) const {
    if (delivery.kind == DeliveryKind::requested) return {true, false};
    const bool sent = delivery.kind == DeliveryKind::sent;
    bool target = true, requester = delivery.kind == DeliveryKind::completed;
    if (delivery.cookie >> cookie_shift == 0) {
      const auto asked = std::lower_bound(scenario_.planned.begin(), scenario_.planned.end(), delivery.cookie,
                                          [](const Planned& p, std::uint64_t c) { return p.transaction.cookie < c; });
      target = asked->transaction.notify_target;
      requester = sent ? asked->transaction.notify_sent : asked->transaction.notify_requester;
    } else {
      const Exchange& exchange = scenario_.exchanges[(delivery.cookie >> cookie_shift) - 1];
      const bool frame = exchange.kind == Exchange::Kind::receive_ring && delivery.target == exchange.b.node;
      target = !frame || delivery.purpose != pcie::Purpose::payload;
      if (exchange.kind == Exchange::Kind::cable) return {false, true};
      if (sent) requester = delivery.purpose != pcie::Purpose::payload;
    }
    return {target && delivery.kind == DeliveryKind::arrived, requester};
  }

  void notice(const Delivery& delivery, NodeId who) {
    const Instant at = delivery.done + scenario_.topology.nodes[who.value()].endpoint.reaction;
    if (at < now_) outcome_.broken = "a delivery with notify came too late to react to it";
    notices_.push_back({at, delivery});
  }

  void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) {
    ++outstanding_;
    if (checked_) asked_[transaction.cookie] = transaction;
    auto counted = transaction;
    counted.account = static_cast<std::uint16_t>(transaction.cookie % accounts);
    fabric_->submit(requester, channel, counted);
  }

  Instant next_limit() const {
    Instant limit = scenario_.end;
    bool quiet = next_planned_ == scenario_.planned.size() && outstanding_ == 0;
    const auto at_most = [&](Instant t) {
      limit = std::min(limit, t);
      quiet = false;
    };
    for (const Notice& notice : notices_) at_most(notice.at);
    if (!timers_.empty()) at_most(timers_.begin()->first);
    if (!answers_.empty()) at_most(answers_.begin()->first);
    if (!frames_.empty()) at_most(frames_.begin()->first);
    if (next_fault_ < scenario_.faults.size()) at_most(scenario_.faults[next_fault_].at);
    if (next_flip_ < scenario_.flips.size()) at_most(scenario_.flips[next_flip_].at);
    if (next_change_ < scenario_.changes.size()) at_most(scenario_.changes[next_change_].at);
    if (quiet) return limit;
    const bool late = next_planned_ == scenario_.planned.size() && timers_.empty() && notices_.empty();
    return std::min(limit, now_ + (late ? std::max(scenario_.quantum, Duration{100'000'000}) : scenario_.quantum));
  }

  /// Everything that is due at the time reached, in an order that all fabrics share.
  void act() {
    for (; next_fault_ < scenario_.faults.size() && scenario_.faults[next_fault_].at <= now_; ++next_fault_)
      fabric_->set_link(scenario_.faults[next_fault_].link, scenario_.faults[next_fault_].up);
    for (; next_flip_ < scenario_.flips.size() && scenario_.flips[next_flip_].at <= now_; ++next_flip_) {
      const Flip& flip = scenario_.flips[next_flip_];
      fabric_->set_route(flip.route);
    }
    for (; next_change_ < scenario_.changes.size() && scenario_.changes[next_change_].at <= now_; ++next_change_)
      change(scenario_.changes[next_change_]);
    for (; !timers_.empty() && timers_.begin()->first <= now_; timers_.erase(timers_.begin()))
      on_timer(timers_.begin()->second);
    for (; !answers_.empty() && answers_.begin()->first <= now_; answers_.erase(answers_.begin()))
      fabric_->respond(answers_.begin()->second.request, now_, answers_.begin()->second.status);
    for (; !frames_.empty() && frames_.begin()->first <= now_; frames_.erase(frames_.begin()))
      take(frames_.begin()->second);
    const auto due = std::partition(notices_.begin(), notices_.end(), [&](const Notice& n) { return n.at > now_; });
    std::vector<Notice> now(due, notices_.end());
    notices_.erase(due, notices_.end());
    std::sort(now.begin(), now.end(), [](const Notice& x, const Notice& y) {
      return std::tuple{x.at, key(x.delivery)} < std::tuple{y.at, key(y.delivery)};
    });
    for (const Notice& notice : now) {
      if (notice.at < now_) outcome_.broken = "a delivery with notify came too late to react to it";
      on_notice(notice.delivery);
    }
  }

  void change(const Change& c) {
    switch (c.kind) {
      case Change::Kind::rate:
        return fabric_->set_rate(c.link, c.direction, c.rate);
      case Change::Kind::timing:
        return fabric_->set_timing(c.link, c.direction, c.timing);
      case Change::Kind::leak:
        return fabric_->leak_credits(c.link, c.direction, c.tlp_class, c.lost);
      case Change::Kind::strike:
        return fabric_->strike(c.link, c.direction);
    }
  }

  void on_timer(std::size_t r) {
    const Exchange& exchange = scenario_.exchanges[r];
    State& state = states_[r];
    if (exchange.kind == Exchange::Kind::receive_ring) {
      ++state.waiting_frames;
      return receive(r);
    }
    for (int i = 0; i < exchange.depth; ++i) send(r, exchange.a, exchange.b);
  }

  void on_notice(const Delivery& delivery) {
    if (delivery.kind == DeliveryKind::requested) {
      const Duration latency{
          static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(scenario_.foreign_latency.count()) + 1))};
      const auto status = random_.below(16) == 0 ? pcie::Status::completer_abort : pcie::Status::success;
      if (!scenario_.answers_late) return fabric_->respond(delivery.request, now_ + latency, status);
      answers_.emplace(now_ + latency, LateAnswer{delivery.request, status});
      return;
    }
    if (delivery.cookie >> cookie_shift == 0) return;  // planned: nobody reacts
    const std::size_t r = (delivery.cookie >> cookie_shift) - 1;
    const Exchange& exchange = scenario_.exchanges[r];
    switch (exchange.kind) {
      case Exchange::Kind::read_chain:
        return send(r, exchange.a, exchange.b);
      case Exchange::Kind::ping_pong:
        return delivery.target == exchange.b.node ? send(r, exchange.b, exchange.a) : send(r, exchange.a, exchange.b);
      case Exchange::Kind::receive_ring:
        if (delivery.kind == DeliveryKind::sent) return interrupt(r);
        if (delivery.target == exchange.c.node) {
          if (delivery.purpose == pcie::Purpose::interrupt) return;
          return send(r, exchange.c, exchange.a);
        }
        ++states_[r].buffers;
        return receive(r);
      case Exchange::Kind::cable:
        frames_.emplace(std::max(now_, delivery.done + scenario_.topology.side_latency) + think(exchange),
                        Frame{r, delivery.requester == exchange.a.node});
    }
  }

  void take(const Frame& frame) {
    const Exchange& exchange = scenario_.exchanges[frame.exchange];
    if (!frame.to_c) return send(frame.exchange, exchange.a, exchange.b);
    auto received = transaction(frame.exchange, exchange.d.node);
    received.op = pcie::Operation::memory_write;
    submit(exchange.c.node, exchange.c.channel, received);
  }

  void receive(std::size_t r) {
    const Exchange& exchange = scenario_.exchanges[r];
    State& state = states_[r];
    for (; state.buffers > 0 && state.waiting_frames > 0; --state.buffers, --state.waiting_frames) {
      Transaction frame = transaction(r, exchange.b.node);
      frame.notify_target = false;
      frame.tell_sent = exchange.interrupts;
      submit(exchange.a.node, exchange.a.channel, frame);
      Transaction entry = transaction(r, exchange.c.node);
      entry.bytes = Bytes{16};
      entry.purpose = pcie::Purpose::completion_entry;
      entry.tell_sent = entry.notify_sent = exchange.interrupts;
      submit(exchange.a.node, exchange.a.channel, entry);
    }
  }

  /// The entry of a frame has left: an interrupt follows it, by a channel of its own.
  void interrupt(std::size_t r) {
    const Exchange& exchange = scenario_.exchanges[r];
    Transaction message = transaction(r, exchange.c.node);
    message.bytes = Bytes{4};
    message.purpose = pcie::Purpose::interrupt;
    submit(exchange.a.node, exchange.d.channel, message);
  }

  void send(std::size_t r, const Seat& from, const Seat& to) {
    const Exchange& exchange = scenario_.exchanges[r];
    if (exchange.kind != Exchange::Kind::receive_ring && states_[r].sent >= static_cast<std::uint64_t>(exchange.rounds))
      return;
    submit(from.node, from.channel, transaction(r, to.node));
  }

  Transaction transaction(std::size_t r, NodeId target) {
    const Exchange& exchange = scenario_.exchanges[r];
    Transaction t;
    t.cookie = cookie_of(r, states_[r].sent++);
    t.target = target;
    const bool reads = exchange.kind == Exchange::Kind::read_chain || exchange.kind == Exchange::Kind::cable;
    t.op = reads ? exchange.op : pcie::Operation::memory_write;
    t.purpose = exchange.kind == Exchange::Kind::ping_pong ? pcie::Purpose::doorbell : pcie::Purpose::payload;
    t.traffic_class = exchange.traffic_class;
    t.bytes = exchange.bytes;
    t.address = random_.below(2) == 0 ? random_.below(1 << 20) : random_.below(1 << 16) * 64;
    t.notify_target = !reads;
    t.notify_requester = reads;
    t.ready = now_ + think(exchange);
    return t;
  }

  Duration think(const Exchange& exchange) {
    return Duration{static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(exchange.think.count()) + 1))};
  }

  Outcome take_outcome() {
    for (std::size_t l = 0; l < scenario_.topology.links.size(); ++l)
      for (int direction = 0; direction < 2; ++direction) {
        const auto c = fabric_->counters(LinkId{static_cast<std::uint16_t>(l)}, direction);
        outcome_.counters.push_back({c.dllps,
                                     c.replays,
                                     c.busy,
                                     c.queueing,
                                     c.credit_stall,
                                     c.replaying,
                                     c.signalling,
                                     c.ahead,
                                     {c.tallies.begin(), c.tallies.end()},
                                     {c.accounts.begin(), c.accounts.end()}});
        for (const Tally& tally : c.tallies) outcome_.tlp_count += tally.tlps;
      }
    if (outcome_.broken.empty()) find_blocked();
    std::erase_if(outcome_.deliveries, [&](const Delivery& d) { return d.done > scenario_.end; });
    std::sort(outcome_.deliveries.begin(), outcome_.deliveries.end(),
              [](const Delivery& x, const Delivery& y) { return key(x) < key(y); });
    std::sort(outcome_.tlps.begin(), outcome_.tlps.end(),
              [](const TlpRecord& x, const TlpRecord& y) { return key(x) < key(y); });
    check_protocol();
    return std::move(outcome_);
  }

  /// What does not move once nothing starts any more after the end, when nobody reacts. (Before, a queue may go without
  /// credits for long because others take them, of which only the reference says that it waits for credits.)
  void find_blocked() {
    fabric_->observe(nullptr);
    const auto later = [this](Duration more) {
      const Instant until = now_ + more;
      while (now_ < until) now_ = fabric_->advance(until);
      return fabric_->waiting();
    };
    for (int tries = 0; tries < 40; ++tries) {
      const auto earlier = later(Duration{500'000'000'000});
      const std::int64_t before = started();
      const Deadlock found = find_deadlock(scenario_.topology, unmoved(earlier, later(Duration{100'000'000'000})));
      if (started() != before) continue;
      for (const Waiting& w : found.blocked) outcome_.blocked.push_back(sentence(describe(scenario_.topology, w)));
      for (const std::size_t i : found.cycle) outcome_.blocked.push_back("in the cycle: " + std::to_string(i));
      return;
    }
  }

  /// TLPs on all links so far.
  std::int64_t started() const {
    std::int64_t all = 0;
    for (std::uint16_t link = 0; link < scenario_.topology.links.size(); ++link)
      for (const int direction : {0, 1})
        for (const Tally& tally : fabric_->counters(LinkId{link}, direction).tallies) all += tally.tlps;
    return all;
  }

  void check_protocol() {
    if (!checked_ || !outcome_.broken.empty()) return;
    ProtocolChecker checker{
        scenario_.topology, [this](std::uint64_t cookie) -> const Transaction& { return asked_.at(cookie); },
        scenario_.faults.empty() && scenario_.flips.empty() && scenario_.changes.empty() && scenario_.gates.empty()};
    auto tlps = outcome_.tlps;
    std::ranges::stable_sort(tlps, {}, &TlpRecord::start);
    for (const TlpRecord& tlp : tlps) checker.see(tlp);
    if (!checker.violations().empty()) outcome_.broken = checker.violations().front().what;
    if (!scenario_.observed) outcome_.tlps.clear();
  }

  const Scenario& scenario_;
  const bool checked_;
  std::unordered_map<std::uint64_t, Transaction> asked_;
  Random random_;
  Outcome outcome_;
  std::vector<std::unique_ptr<Gate>> gates_;
  std::unique_ptr<Fabric> fabric_;
  std::vector<State> states_;
  std::vector<Notice> notices_;
  std::multimap<Instant, std::size_t> timers_;
  std::multimap<Instant, LateAnswer> answers_;
  std::multimap<Instant, Frame> frames_;
  std::size_t next_planned_ = 0, next_fault_ = 0, next_flip_ = 0, next_change_ = 0;
  std::int64_t outstanding_ = 0;
  std::size_t advances_ = 0;
  Instant now_{};
};

}  // namespace

Outcome play(const Scenario& scenario, const Make& make, bool check) { return Player{scenario, make, check}.play(); }

}  // namespace peerpath::fabric::differential
