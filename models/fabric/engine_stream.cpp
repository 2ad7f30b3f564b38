// Posted packets that cross an idle corridor one after the other: each is timed as a shift of what the first would take
// alone, and what they all change is booked once. A packet that the limit of `advance` would cut in two is put off
// until the next one, if nobody can tell the difference.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace {

void measure(Crossing& c, const Transmitter& x, const Transmitter& z, const TlpRun& run) {
  const Femto more = run.count - 1;
  const Femto service = z.peer->leaf->occupancy_of(static_cast<int>(pcie::TlpClass::posted), run.data_dw);
  c.second = &z;
  c.shape = run.shape();
  c.count = run.count;
  c.serialisation = x.serialisation[run.dw];
  c.spacing = more == 0 ? 0 : c.serialisation;
  c.last = more * c.spacing;
  c.arrival = c.serialisation + x.propagation;
  c.serialisation_there = z.serialisation[run.dw];
  c.there = x.propagation + x.peer->latency + std::max<Femto>(0, c.serialisation - c.serialisation_there);
  c.spacing_there = more == 0 ? 0 : std::max(c.spacing, c.serialisation_there);
  c.last_there = c.there + more * c.spacing_there;
  c.arrival_there = c.there + c.serialisation_there + z.propagation;
  c.first_done = c.arrival_there + service;
  c.step = more == 0 ? 0 : std::max(c.spacing_there, service);
  c.done = c.first_done + more * c.step;
  c.occupied = c.last + c.serialisation;
  c.least_gap = std::max(c.last_there + c.serialisation_there - c.there, c.done - c.arrival_there);
  c.freed = c.there + c.serialisation_there + x.update_fc;
  c.freed_there = c.first_done + z.update_fc;
  c.all_freed = c.freed + more * c.spacing_there;
  c.all_freed_there = c.freed_there + more * c.step;
  const Femto back = std::max(c.all_freed, c.all_freed_there);
  c.flight = static_cast<std::int32_t>(std::min<Femto>(back / std::max(c.occupied, c.least_gap) + 1, INT32_MAX));
  const auto echo_gap = [](const Transmitter& t, Femto span) {
    const Femto two = 2 * t.reverse->dllp;
    return std::min(t.next_ack == unknown_time ? two : t.ack_interval,
                    t.next_fc == unknown_time ? two : t.fc_interval) < two
               ? unknown_time
               : span + two;
  };
  c.echoing = c.arrival + c.last + 2 * x.reverse->dllp;
  c.echoing_there = c.arrival_there + c.last_there - c.there + 2 * z.reverse->dllp;
  c.echo_gap = std::max(echo_gap(x, c.last), echo_gap(z, c.last_there - c.there));
  c.known_echoes = 0;
  c.echo = nullptr;
}

/// How such a run crosses, which is known if another one has done so of late.
[[gnu::noinline]] Crossing& crossing(const Transmitter& x, const Transmitter& z, const TlpRun& run) {
  auto& known = x.node->leaf->crossings;
  Crossing& c =
      known[(static_cast<std::size_t>(z.index) + run.dw + static_cast<std::size_t>(run.count)) % known.size()];
  if (c.second != &z || c.shape != run.shape() || c.count != run.count) measure(c, x, z, run);
  return c;
}

}  // namespace

/// The DLLPs of the runs that cross, which depend on when they last were caused. As long as the runs come at the same
/// gap they repeat themselves; and as long as nobody else comes to the ways back, only those of the last run need be
/// queued.
struct Engine::Stream {
  Engine& engine;
  Crossing& c;
  Transmitter &x, &z;
  const Femto now;
  bool alone;  ///< nobody is on the ways back
  Echo* echo;  ///< of the last run, if that is known; not queued yet if it is of this stream
  std::int64_t sent = 0, sent_there = 0;

  Stream(Engine& of, Crossing& by, Transmitter& first, Transmitter& second, Femto at, Femto until, Femto until_there,
         Femto start)
      : engine{of}, c{by}, x{first}, z{second}, now{at} {
    retire_dllps(*x.reverse, until);
    retire_dllps(*z.reverse, until_there);
    alone =
        c.echo_gap != unknown_time && idle(*x.reverse, start + c.arrival) && idle(*z.reverse, start + c.arrival_there);
    echo = alone && x.next_ack == c.next_ack && x.next_fc == c.next_fc && z.next_ack == c.next_ack_there &&
                   z.next_fc == c.next_fc_there
               ? c.echo
               : nullptr;
  }

  /// The next run starts at `start`, `gap` after the one before.
  [[gnu::always_inline]] void hear(Femto start, Femto gap) {
    if (echo == nullptr || echo->gap != gap) return hear_anew(start, gap);
    echo = echo->follower;
    sent += echo->sent;
    sent_there += echo->sent_there;
  }

  /// The last run started at `start`. `all_sent`: its DLLPs have left before anybody comes, too.
  void close(Femto start, bool all_sent) {
    if (echo != nullptr) queue(start, all_sent);
    c.previous = start;
    x.reverse->dllps += sent;
    z.reverse->dllps += sent_there;
    c.echo = echo;
  }

 private:
  using Steps = std::array<DllpStep, 2>;

  /// Nobody waits for credits, either: what DLLPs take of that time would have to be noted.
  static bool idle(const Transmitter& back, Femto from) {
    return back.due.empty() && back.free <= from && back.decision <= std::max(back.ready_since, back.free);
  }

  /// Queues what the run causes that started at `start`.
  void queue(Femto start, bool all_sent) {
    if (!queue_on(x, echo->steps[0], start + c.arrival, echo->gone, all_sent)) sent -= echo->sent;
    if (!queue_on(z, echo->steps[1], start + c.arrival_there, echo->gone_there, all_sent))
      sent_there -= echo->sent_there;
    c.next_ack = x.next_ack, c.next_fc = x.next_fc;
    c.next_ack_there = z.next_ack, c.next_fc_there = z.next_fc;
  }
  /// Whether they are sent already.
  bool queue_on(Transmitter& t, const Steps& steps, Femto arrival, Femto gone, bool all_sent) {
    t.next_ack = later(arrival, steps[0].next);
    t.next_fc = later(arrival, steps[1].next);
    if (gone == 0) return true;  // there are none
    Transmitter& back = *t.reverse;
    if (all_sent && back.due.empty()) {
      back.free = arrival + gone;
      return true;
    }
    DllpBatch batch{steps[0].caused, steps[1].caused};
    if (batch.acks.count > 0) batch.acks.first += arrival;
    if (batch.updates.count > 0) batch.updates.first += arrival;
    batch.sent = arrival + gone;
    back.due.push(batch);
    if (back.candidates != 0 && batch.front() <= back.decision) engine.touch(back);
    return false;
  }

  /// At another gap than before, or for the first time since.
  [[gnu::noinline]] void hear_anew(Femto start, Femto gap) {
    if (echo != nullptr && start - gap != c.previous) queue(start - gap, false);
    const Femto arrival = start + c.arrival, arrival_there = start + c.arrival_there;
    if (gap != c.gap || gap < c.echo_gap || !alone) {
      echo = nullptr;
      engine.cause_dllps(x, arrival, c.spacing, c.count, now);
      engine.cause_dllps(z, arrival_there, c.spacing_there, c.count, now);
    } else {
      Echo& next = find_echo(arrival, arrival_there);
      if (echo != nullptr) {
        echo->gap = gap;
        echo->follower = &next;
      }
      echo = &next;
      sent += next.sent;
      sent_there += next.sent_there;
    }
    c.gap = gap;
  }

  /// What a run causes whose first TLP arrives then.
  Echo& find_echo(Femto arrival, Femto arrival_there) {
    const auto lag = [](Femto next, Femto from) {
      return next == unknown_time ? next : std::max<Femto>(0, next - from);
    };
    const std::array lags{lag(x.next_ack, arrival), lag(x.next_fc, arrival), lag(z.next_ack, arrival_there),
                          lag(z.next_fc, arrival_there)};
    for (std::size_t i = 0; i < c.known_echoes; ++i) {
      const auto& [here, there] = c.echoes[i].steps;
      if (std::array{here[0].lag, here[1].lag, there[0].lag, there[1].lag} == lags) return c.echoes[i];
    }
    if (c.known_echoes == c.echoes.size()) {
      c.known_echoes = 0;
      echo = nullptr;
    }
    Echo& fresh = c.echoes[c.known_echoes++];
    fresh = {};
    const auto owed = [&](Femto from, Femto interval, Femto spacing) {
      DllpStep step{from, {}, from};
      owe(step.caused, interval, step.next, 0, spacing, c.count);
      return step;
    };
    fresh.steps = {{{owed(lags[0], x.ack_interval, c.spacing), owed(lags[1], x.fc_interval, c.spacing)},
                    {owed(lags[2], z.ack_interval, c.spacing_there), owed(lags[3], z.fc_interval, c.spacing_there)}}};
    fresh.sent = fresh.steps[0][0].caused.count + fresh.steps[0][1].caused.count;
    fresh.sent_there = fresh.steps[1][0].caused.count + fresh.steps[1][1].caused.count;
    const auto gone = [](const Steps& steps, const Transmitter& back) {
      const DllpBatch batch{steps[0].caused, steps[1].caused};
      return batch.empty() ? 0 : batch.sent_by(back.dllp);
    };
    fresh.gone = gone(fresh.steps[0], *x.reverse);
    fresh.gone_there = gone(fresh.steps[1], *z.reverse);
    return fresh;
  }
};

/// Takes the first runs over both links as long as each finds its way empty and is like the first.
Engine::Outcome Engine::pass_alike(Corridor& way) {
  constexpr auto posted = static_cast<std::size_t>(pcie::TlpClass::posted);
  constexpr std::int64_t remembered = 8;
  Transmitter &x = way.x, &z = way.z;
  Queue &fifo = way.fifo, &relay = way.relay;
  const TlpRun& shape = fifo.runs.front();
  const Record& record = records_[shape.record];
  way.crossing = nullptr;
  if (fifo.tlp_class != posted || shape.slope != 0 || z.gate != nullptr || record.asked.target != way.to)
    return Outcome::other;
  Crossing& c = *(way.crossing = &crossing(x, z, shape));
  Femto time_left = std::min(way.limit - c.last, std::min(way.second_limit, horizon_) - c.last_there);
  const Femto eligible = std::max(shape.e, fifo.left);
  Femto start = std::max(eligible, x.free);
  if (start >= time_left) return Outcome::late;
  const Femto clear = std::min(x.due.front() - c.last, z.due.front() - c.last_there);
  Leaf& leaf = *z.peer->leaf;
  if (start >= clear || start + c.there < std::max(z.free, relay.left) ||
      start + c.arrival_there < leaf.taken_in[posted])
    return Outcome::other;
  CreditLoop &credit = x.credit[posted], &second_credit = z.credit[posted];
  const int units = shape.units;
  credit.fold(start);
  second_credit.fold(start + c.there);
  const std::int64_t afford = std::min(credit.covered(units), second_credit.covered(units)) / c.count;
  if (afford == 0) return Outcome::other;
  // If those that hold credits at a time have enough, they need not be counted; else as many go as surely have.
  const std::int64_t most = afford >= c.flight && c.flight <= remembered ? INT64_MAX : std::min(afford, remembered);

  const Femto reaction = std::min(horizon_, earliest_reaction(way.known));
  const Femto until = std::min(reaction, way.back), until_there = std::min(reaction, way.back_there);
  // The DLLPs of one that starts before this have left before anybody comes.
  const Femto echo_bound = std::min(until - c.echoing, until_there - c.echoing_there);
  Stream stream{*this, c, x, z, way.known, until, until_there, start};
  x.queueing += start - eligible;
  const std::uint32_t tally = record.tally;
  const std::size_t sender = record.requester.value();
  Outcome outcome = Outcome::passed;
  std::array<Femto, remembered> starts;
  const NodeId to = way.to;
  const std::int64_t count = c.count;
  std::int64_t runs = 0;
  Femto stop = std::min(time_left, clear);
  Femto horizon = horizon_;
  std::uint32_t index = shape.record;
  Femto gap = start - c.previous;
  for (Record* packet = &records_[index];;) {
    stream.hear(start, gap);
    starts[static_cast<std::size_t>(runs++) % remembered] = start;
    fifo.runs.pop();
    if (packet->open > count) {
      packet->open -= count;
      packet->done = std::max(packet->done, start + c.done);
    } else {
      finish_posted(*packet, index, leaf, std::max(packet->done, start + c.done));
      if (horizon_ < horizon) {
        horizon = horizon_;
        time_left = std::min(time_left, horizon - c.last_there);
        stop = std::min(stop, time_left);
      }
    }
    if (fifo.runs.empty()) break;
    const TlpRun& run = fifo.runs.front();
    index = run.record;
    packet = &records_[index];
    const Femto next_at = std::max(run.e, start + c.occupied);
    if (!c.alike(run) || packet->tally != tally || packet->asked.target != to) break;
    if (next_at >= stop) {
      if (next_at >= time_left) outcome = Outcome::late;
      break;
    }
    gap = next_at - start;
    if (gap < c.least_gap || start >= echo_bound || runs == most) break;
    start = next_at;
  }
  stream.close(start, start < echo_bound);
  leaf.taken_in[posted] = start + c.done;
  const std::int64_t tlps = runs * count;
  const auto count_on = [&](Transmitter& on, Femto serialisation, Femto free) {
    Tally& counted = on.tallies[tally];
    counted.tlps += tlps;
    counted.payload += Bytes{4 * shape.data_dw * tlps};
    counted.overhead += Bytes{(4 * (shape.dw - shape.data_dw) + on.framing) * tlps};
    on.busy += serialisation * tlps;
    on.free = free;
  };
  count_on(x, c.serialisation, start + c.occupied);
  count_on(z, c.serialisation_there, start + c.last_there + c.serialisation_there);
  // Credits that are back before the line is free again make no difference.
  for (std::int64_t i = std::max<std::int64_t>(0, runs - std::min<std::int64_t>(remembered, c.flight)); i < runs; ++i) {
    const Femto at = starts[static_cast<std::size_t>(i) % remembered];
    if (at + c.all_freed > x.free) credit.lend(at + c.freed, c.spacing_there, c.count, units);
    if (at + c.all_freed_there > z.free) second_credit.lend(at + c.freed_there, c.step, c.count, units);
  }
  x.pass_turn(fifo.slot, tlps);
  z.pass_turn(relay.slot, tlps);
  Ingress &own = *fifo.ingress, &in = *relay.ingress;
  own.posted_out += tlps;
  own.posted_left = fifo.left = x.free;
  in.posted_in += tlps;
  in.posted_by[sender] = in.posted_out = in.posted_in;
  in.posted_left = relay.left = z.free;
  in.marked = false;
  return outcome;
}

}  // namespace peerpath::fabric
