// Reads at equal distances from one endpoint at a router to another one: when all that they depend on stands as it did
// one read ago, the next ones repeat the last, and up to the horizon they are booked without being played.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace {

constexpr auto non_posted = static_cast<std::size_t>(pcie::TlpClass::non_posted);
constexpr auto completion = static_cast<std::size_t>(pcie::TlpClass::completion);

}  // namespace

namespace steady {

/// Numbers for what is met under changing indices, in the order in which it is met.
template <std::size_t most>
struct Numbering {
  std::array<std::uint32_t, most> met;
  std::size_t size = 0;

  /// `most` if there are too many.
  std::size_t operator()(std::uint32_t index) {
    for (std::size_t i = size; i-- > 0;)
      if (met[i] == index) return i;
    if (size == most) return most;
    met[size] = index;
    return size++;
  }
};

}  // namespace steady

/// The reads of one endpoint and all that is under way for them, when the next one starts.
struct Engine::ReadLoop {
  static constexpr std::size_t most_reads = 16, most_answers = 32;

  Engine& engine;
  Queue& waiting;  ///< reads that have not started
  const Femto now;
  std::array<Transmitter*, 4> links;  ///< of requests to and from the router, of completions to and from it
  std::array<Queue*, 3> under_way;    ///< with the oldest read first
  Leaf &requester, &completer;
  steady::Numbering<most_reads> reads{};

  const TlpRun& next() const { return waiting.runs.front(); }
  const Record& read() const { return engine.records_[next().record]; }

  bool undisturbed() const;
  bool follows(std::size_t i, Femto period) const;
  bool capture(SteadyState& state);
  bool capture_runs(SteadyState& state);
  std::array<Femto, 8> echo() const;
  void capture_link(SteadyState& state, Transmitter& y, std::size_t tlp_class) const;
  SteadyReads::Books books() const;
  bool learn(SteadyReads& steady, int follower) const;
  std::size_t repeatable(const SteadyReads& steady) const;
  void repeat(SteadyReads& steady, std::size_t times);

 private:
  Femto ahead(Femto when) const { return when == unknown_time ? when : std::max<Femto>(when - now, 0); }
};

/// Nobody else can come to the links before the horizon, and it depends on time differences alone what happens there.
bool Engine::ReadLoop::undisturbed() const {
  const NodeState &from = *requester.node, &router = *links[0]->peer, &to = *completer.node;
  if (engine.notices_coming_ > 0 || engine.put_off_ || engine.topology_.strays || completer.config.external ||
      completer.config.read_jitter > Duration{} || requester.config.one_queue > 0 || completer.config.one_queue > 0 ||
      !completer.completions.cover(read().asked.address, read().asked.bytes) || requester.timeouts ||
      requester.requests_coming > 0 || (from.blocked | router.blocked | router.mixed | to.blocked) != 0 ||
      !engine.sole_source(*links[1], from) || !engine.sole_source(*links[3], to) || links[0]->candidates != waiting.bit)
    return false;
  const std::array<std::uint64_t, 4> own{waiting.bit, under_way[2]->bit, under_way[1]->bit, under_way[0]->bit};
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Transmitter& y = *links[i];
    if (!y.up || y.error_prone || y.gate != nullptr || (y.candidates & ~own[i]) != 0) return false;
  }
  return true;
}

/// Whether the read `i` after the next one is like it and may start `i` periods later but no earlier.
bool Engine::ReadLoop::follows(std::size_t i, Femto period) const {
  const TlpRun &first = next(), &run = waiting.runs[i];
  const Femto later = static_cast<Femto>(i) * period;
  const bool in_time = waiting.left > first.e ? run.e <= waiting.left + later : run.e == first.e + later;
  const Record& other = engine.records_[run.record];
  return in_time && run.shape() == first.shape() && run.count == first.count && run.step == first.step &&
         other.alike(read()) && completer.completions.cover(other.asked.address, other.asked.bytes);
}

/// False if there is too much of it.
bool Engine::ReadLoop::capture(SteadyState& state) {
  for (std::size_t i = 0; i < links.size(); ++i) capture_link(state, *links[i], i < 2 ? non_posted : completion);
  state.add(requester.tags);
  state.add(static_cast<std::int64_t>(requester.tag_returns.size()));
  for (std::size_t i = 0; i < requester.tag_returns.size(); ++i) state.add(requester.tag_returns[i] - now);
  state.add(ahead(requester.taken_in[completion]));
  state.add(ahead(completer.taken_in[non_posted]));
  state.add(ahead(completer.read_free));
  state.add(requester.steady.answered - now);
  const TlpRun& run = next();
  const Transaction& asked = read().asked;
  state.add(waiting.head - now);
  state.add(waiting.left > run.e);
  state.add(waiting.slot);
  state.add(run.count);
  state.add(run.step);
  state.add(static_cast<std::int64_t>(run.shape()));
  state.add(asked.target.value());
  state.add(read().tally);
  state.add(asked.relaxed_ordering | asked.id_based_ordering << 1 | asked.translated << 2 | asked.spoofed << 3 |
            asked.translation << 4);
  return capture_runs(state) && state.complete();
}

void Engine::ReadLoop::capture_link(SteadyState& state, Transmitter& y, std::size_t tlp_class) const {
  engine.send_dllps(y, now - 1);
  // For how long a line has been free matters only to the stall of those who wait.
  state.add(ahead(y.free));
  state.add(y.candidates == 0 ? -1 : std::max(y.free, y.ready_since) - now);
  state.add(y.candidates != 0);
  state.add(y.next_slot);
  state.add(y.taken);
  state.add(y.holder);
  state.add(y.stalling);
  y.due.each([&](Femto due) {
    state.add(due - now);
    return true;
  });
  state.add(unknown_time);
  // What is back by now is not taken in, since it may be what this start has waited for.
  const CreditLoop& credit = y.credit[tlp_class];
  if (credit.limited()) credit.describe(now, [&](std::int64_t number) { state.add(number); });
}

bool Engine::ReadLoop::capture_runs(SteadyState& state) {
  steady::Numbering<most_answers> answers;
  const auto posted_of = [&](const Queue& fifo) {
    const Ingress& in = *fifo.ingress;
    state.add(in.posted_in);
    state.add(in.posted_out);
    state.add(ahead(in.posted_left));
    state.add(in.marked);
  };
  posted_of(waiting);
  for (const Queue* fifo : under_way) {
    posted_of(*fifo);
    state.add(static_cast<std::int64_t>(fifo->runs.size()));
    state.add(fifo->runs.empty() ? ahead(fifo->left) : fifo->head - now);
    for (std::size_t i = 0; i < fifo->runs.size(); ++i) {
      const TlpRun& run = fifo->runs[i];
      const std::size_t known = reads.size, number = reads(run.record);
      const Record& record = engine.records_[run.record];
      if (number == most_reads || (number == known && !record.alike(read()))) return false;
      state.add(static_cast<std::int64_t>(number));
      state.add(run.e - now);
      state.add(run.count == 1 ? 0 : run.slope);
      state.add(static_cast<std::int64_t>(run.shape()));
      state.add(run.count | std::int64_t{run.step} << 32);
      state.add(static_cast<std::int64_t>(run.address - record.asked.address));
      state.add(run.mark);
      if (fifo->tlp_class != completion) continue;
      state.add(run.per | std::int64_t{run.offset} << 16);
      for (std::uint32_t answer = run.answered;; answer = engine.answers_[answer].next) {
        state.add(static_cast<std::int64_t>(answers(answer)));
        if (run.per == 0 || answer == run.tail || answers.size == most_answers) break;
      }
    }
  }
  for (std::size_t i = 0; i < reads.size; ++i) {
    const Record& record = engine.records_[reads.met[i]];
    state.add(record.open);
    state.add(ahead(record.done));
  }
  const std::size_t known = answers.size;
  for (std::size_t i = 0; i < known; ++i) {
    const Answer& answer = engine.answers_[answers.met[i]];
    state.add(answer.open);
    state.add(answer.each | static_cast<std::int64_t>(answer.status) << 32);
    state.add(answer.next == nobody ? -1 : static_cast<std::int64_t>(answers(answer.next)));
  }
  state.add(completer.last_answer == nobody ? -1 : static_cast<std::int64_t>(answers(completer.last_answer)));
  // What follows an answer is under way too.
  return answers.size == known && known < most_answers;
}

std::array<Femto, 8> Engine::ReadLoop::echo() const {
  std::array<Femto, 8> all;
  for (std::size_t i = 0; i < links.size(); ++i) {
    all[2 * i] = ahead(links[i]->next_ack);
    all[2 * i + 1] = ahead(links[i]->next_fc);
  }
  return all;
}

SteadyReads::Books Engine::ReadLoop::books() const {
  SteadyReads::Books all;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Transmitter& y = *links[i];
    const Tally& tally = y.tallies[read().tally];
    all[i] = {y.dllps, y.busy, y.queueing, y.credit_stall, tally.tlps, tally.payload.count(), tally.overhead.count()};
  }
  return all;
}

/// Notes what the last read has led to, unless something else has crossed the links too.
bool Engine::ReadLoop::learn(SteadyReads& steady, int follower) const {
  SteadyReads::Phase& phase = steady.phases[static_cast<std::size_t>(steady.phase)];
  if (phase.follower >= 0) return true;
  const SteadyReads::Books after = books();
  TlpRun answer;
  completer.completions.cut(pcie::completion_header_double_words, read().asked.address, read().asked.bytes, answer);
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (std::size_t n = 0; n < after[i].size(); ++n) phase.added[i][n] = after[i][n] - steady.books[i][n];
    const TlpRun& run = i < 2 ? next() : answer;
    if (phase.added[i][1] != run.count * links[i]->serialisation[run.dw] || phase.added[i][4] != run.count)
      return false;
  }
  phase.follower = follower;
  return true;
}

/// How many reads are certain to repeat what is known and to start nothing behind the horizon.
std::size_t Engine::ReadLoop::repeatable(const SteadyReads& steady) const {
  if (steady.period == 0) return 0;
  const auto most = static_cast<std::size_t>(std::max<Femto>(0, engine.horizon_ - now - steady.ahead) / steady.period);
  std::size_t times = 0;
  int phase = steady.phase;
  for (; times < std::min(most, waiting.runs.size() - 1); ++times) {
    phase = steady.phases[static_cast<std::size_t>(phase)].follower;
    if (phase < 0 || !follows(times + 1, steady.period)) break;
  }
  return times;
}

/// Moves all on by so many reads: those under way become those that are under way then.
void Engine::ReadLoop::repeat(SteadyReads& steady, std::size_t times) {
  const Femto span = static_cast<Femto>(times) * steady.period;
  const auto requests = static_cast<std::int64_t>(times) * next().count;
  const auto later_read = [&](std::size_t i) {  // the i-th of all that are under way or wait
    return i < reads.size ? reads.met[i] : waiting.runs[i - reads.size].record;
  };
  for (std::size_t i = 0; i < times; ++i) {
    steady.answered += steady.period;
    const Record& over = engine.records_[later_read(i)];
    engine.sink_->deliver(over.told(DeliveryKind::completed, false, pcie::Status::success, steady.answered));
    const SteadyReads::Phase& phase = steady.phases[static_cast<std::size_t>(steady.phase)];
    for (std::size_t link = 0; link < links.size(); ++link) {
      Transmitter& y = *links[link];
      const SteadyReads::Book& added = phase.added[link];
      Tally& tally = y.tallies[over.tally];
      y.dllps += added[0];
      y.busy += added[1];
      y.queueing += added[2];
      y.credit_stall += added[3];
      tally.tlps += added[4];
      tally.payload += Bytes{added[5]};
      tally.overhead += Bytes{added[6]};
    }
    steady.phase = phase.follower;
  }
  std::array<std::uint64_t, most_reads> moved{};
  for (std::size_t i = 0; i < reads.size; ++i) {
    Record& record = engine.records_[reads.met[i]];
    const std::uint64_t before = record.asked.address;
    record.asked = engine.records_[later_read(i + times)].asked;
    record.done += span;
    moved[i] = record.asked.address - before;
  }
  for (std::size_t i = 0; i < times; ++i) {
    engine.records_.give(next().record);
    waiting.runs.pop();
  }
  waiting.left += span;
  for (Queue* fifo : under_way) {
    fifo->left += span;
    fifo->head += span;
    for (std::size_t i = 0; i < fifo->runs.size(); ++i) {
      TlpRun& run = fifo->runs[i];
      run.e += span;
      run.address += moved[reads(run.record)];
    }
  }
  const auto& echo = steady.phases[static_cast<std::size_t>(steady.phase)].echo;
  for (std::size_t i = 0; i < links.size(); ++i) {
    Transmitter& y = *links[i];
    y.free += span;
    y.next_ack = later(now + span, echo[2 * i]);
    y.next_fc = later(now + span, echo[2 * i + 1]);
    y.due.shift(span);
    y.credit[i < 2 ? non_posted : completion].shift(span);
    engine.touch(y);
  }
  for (std::size_t i = 0; i < requester.tag_returns.size(); ++i) requester.tag_returns[i] += span;
  requester.taken_in[completion] += span;
  requester.inbound -= static_cast<std::int64_t>(times);
  completer.taken_in[non_posted] += span;
  completer.read_free += span;
  completer.requests += static_cast<std::uint64_t>(requests);
  completer.inbound -= requests;
  completer.requests_coming -= requests;
  engine.refresh_head(*requester.node, waiting);
}

/// A read is about to start on `x`: repeats it and those after it as often as that is certain.
bool Engine::repeat_reads(Transmitter& x, Queue& fifo) {
  constexpr std::int32_t patience = 4, longest_rest = 64;
  const TlpRun& run = fifo.runs.front();
  const Record& record = records_[run.record];
  const Transaction& asked = record.asked;
  if (fifo.runs.size() == 1 || asked.op != pcie::Operation::memory_read || run.slope != 0 ||
      std::int64_t{run.count} * run.step != asked.bytes.count())
    return false;
  SteadyReads& steady = x.node->leaf->steady;
  const Femto now = x.decision, gap = now - steady.last;
  const bool even = gap == steady.gap;
  steady.last = now;
  steady.gap = gap;
  if (steady.repeats() ? now + steady.ahead + steady.period > horizon_ : !even) return false;
  if (steady.rest > 0) {
    --steady.rest;
    return false;
  }
  Transmitter& z = next_hop(x, static_cast<int>(non_posted), record);
  if (z.peer->leaf == nullptr || asked.answer != pcie::Status::success || asked.notify_requester) return false;
  NodeState &router = *x.peer, &to = *z.peer;
  ReadLoop loop{*this,
                fifo,
                now,
                {&x, &z, z.reverse, x.reverse},
                {&router.queues[static_cast<std::size_t>(z.reverse->peer_port) * 3 + completion],
                 &to.queues[completion], &router.queues[static_cast<std::size_t>(x.peer_port) * 3 + non_posted]},
                *x.node->leaf,
                *to.leaf};
  SteadyState state;
  const bool seen = loop.undisturbed() && loop.capture(state);
  if (!seen || state != steady.state) {
    if (++steady.misses % patience == 0) steady.rest = std::min(steady.misses, longest_rest);
    if (!seen || (steady.repeats() && steady.misses < patience)) return false;
    steady.begin_with(state);
    for (const Transmitter* y : loop.links) steady.ahead = std::max(steady.ahead, y->free - now);
  }
  const int phase = steady.phase_of(loop.echo());
  if (steady.phase >= 0 && now == steady.at + gap && (steady.period == 0 || steady.period == gap) &&
      loop.learn(steady, phase)) {
    steady.period = gap;
    steady.misses = 0;
  }
  steady.phase = phase;
  const std::size_t times = loop.repeatable(steady);
  if (times > 0) {
    loop.repeat(steady, times);
    steady.last = now + static_cast<Femto>(times - 1) * steady.period;
    return true;
  }
  steady.at = now;
  steady.books = loop.books();
  return false;
}

/// Something has been changed from outside: what was learnt holds no longer.
void Engine::forget_steady_reads() {
  for (Leaf& leaf : leaves_) leaf.steady.forget();
}

}  // namespace peerpath::fabric
