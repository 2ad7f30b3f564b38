// What the gates are asked in fast-forwarding: the same as if it were played, all of a step at once if they know what
// to say to that.

#include <algorithm>
#include <span>
#include <utility>

#include "fabric/fast_forward.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {

GatedTlp Engine::FastForward::tlp_of(const recurrence::Gated& q, Femto at) const {
  GatedTlp tlp = recurrence::tlp_of(q, engine.records_[record_at(q.place)]);
  tlp.at = Instant{Duration{at}};
  return tlp;
}

/// Asks the gates. If one does not answer as it did then, what they have said is kept until the TLPs come.
bool Engine::FastForward::ask_all(recurrence::Step& step) {
  if (step.questions.empty()) return true;
  if (r.now + step.first_start >= r.asked_until) {
    if (ask_whole(step)) return true;
  } else if (ask_alike(step, r.now, unknown_time)) {
    for (const auto& gate : step.gates)
      use(gate.transmitter, std::min(r.in_hand[static_cast<std::size_t>(gate.transmitter)], gate.tlps));
    return true;
  }
  std::ranges::fill(r.used, 0);
  for (const auto& q : step.questions)
    if (!ask(q, r.now, q.count)) return false;
  for (const auto& gate : step.gates) use(gate.transmitter, gate.tlps);
  return true;
}

/// All of a step of which the gates know nothing yet at once, if each of these knows what to say: else nothing is
/// asked, since what one says may change what the next one is asked.
bool Engine::FastForward::ask_whole(recurrence::Step& step) {
  for (auto& gate : step.gates) {
    for (std::size_t i = 0; i < gate.all.size(); ++i) {
      const recurrence::Questions& all = gate.all[i];
      GatedTlp& first = gate.asked[i].first;
      first.address = engine.records_[record_at(all.place)].asked.address + all.offset;
      first.at = Instant{Duration{r.now + all.at}};
    }
    if (!engine.transmitters_[static_cast<std::size_t>(gate.transmitter)].gate->all_alike(gate.asked)) return false;
  }
  for (const auto& gate : step.gates)
    engine.transmitters_[static_cast<std::size_t>(gate.transmitter)].gate->pass_alike(gate.asked);
  return true;
}

/// The same for what of a step starts before `until` and is not known to the gates.
bool Engine::FastForward::ask_alike(const recurrence::Step& step, Femto now, Femto until) {
  r.alike.clear(), r.alike_last.clear();
  r.alike_ends.clear();
  for (const auto& gate : step.gates) {
    const std::size_t first = r.alike.size();
    for (const auto& all : gate.all) add_alike(step, all, now, until);
    for (std::size_t i = first + 1; i < r.alike.size(); ++i)
      for (std::size_t k = i; k > first && r.alike_last[k - 1] > r.alike_last[k]; --k) {
        std::swap(r.alike_last[k - 1], r.alike_last[k]);
        std::swap(r.alike[k - 1], r.alike[k]);
      }
    r.alike_ends.push_back(r.alike.size());
    if (r.alike.size() > first && !engine.transmitters_[static_cast<std::size_t>(gate.transmitter)].gate->all_alike(
                                      std::span{r.alike}.subspan(first)))
      return false;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < step.gates.size(); first = r.alike_ends[i++])
    if (r.alike_ends[i] > first)
      engine.transmitters_[static_cast<std::size_t>(step.gates[i].transmitter)].gate->pass_alike(
          std::span{r.alike}.subspan(first, r.alike_ends[i] - first));
  return true;
}

/// Notes those TLPs of some that start before `until` and about which the gate does not know.
void Engine::FastForward::add_alike(const recurrence::Step& step, const recurrence::Questions& all, Femto now,
                                    Femto until) {
  if (now + all.start >= until || now + all.last_start < r.asked_until) return;
  AlikeTlps tlps{tlp_of(all, now + all.at), Duration{all.last_at - all.at}, all.count, Duration{all.delay}};
  Femto last_start = all.last_start;
  if (now + all.last_start >= until || now + all.start < r.asked_until) {
    std::int32_t known = 0, count = 0;
    Femto first_at = 0, last_at = 0;
    for (const std::uint32_t part : all.parts) {
      const recurrence::Question& q = step.questions[part];
      const std::int32_t skipped = before(r.asked_until, now + q.start, q.slope, q.count);
      const std::int32_t asked = before(until, now + q.start, q.slope, q.count) - skipped;
      known += skipped;
      if (asked <= 0) continue;
      const std::int32_t last = skipped + asked - 1;
      if (count == 0) first_at = q.at + skipped * q.slope;
      count += asked;
      last_at = q.at + last * q.slope;
      last_start = q.start + last * q.slope;
    }
    if (count == 0) return;
    tlps.first.at = Instant{Duration{now + first_at}};
    tlps.first.address += static_cast<std::uint64_t>(known) * static_cast<std::uint64_t>(all.step);
    tlps.span = Duration{last_at - first_at};
    tlps.count = count;
  }
  r.alike.push_back(tlps);
  r.alike_last.push_back(last_start);
}

/// So many TLPs have come to a gate.
void Engine::FastForward::use(int transmitter, std::int64_t tlps) {
  r.in_hand[static_cast<std::size_t>(transmitter)] -= tlps;
  for (auto& said = engine.transmitters_[static_cast<std::size_t>(transmitter)].foreseen; tlps > 0;) {
    const std::int64_t some = std::min(tlps, said.front().count);
    tlps -= some;
    said.front().count -= some;
    if (said.front().count == 0) said.pop();
  }
}

/// A gate has said what the next TLPs are delayed by.
void Engine::FastForward::expect(int transmitter, Femto delay, std::int64_t tlps) {
  auto& said = engine.transmitters_[static_cast<std::size_t>(transmitter)].foreseen;
  r.in_hand[static_cast<std::size_t>(transmitter)] += tlps;
  if (!said.empty() && said.back().delay == delay)
    said.back().count += tlps;
  else
    said.push({delay, tlps});
}

/// About the first `count` TLPs of a question, as far as the gate has not been asked yet.
bool Engine::FastForward::ask(const recurrence::Question& q, Femto now, std::int32_t count) {
  const auto i = static_cast<std::size_t>(q.transmitter);
  Transmitter& x = engine.transmitters_[i];
  GatedTlp tlp = tlp_of(q, now + q.at);
  const auto skip = [&](std::int32_t tlps) {
    tlp.at += tlps * Duration{q.slope};
    tlp.address += static_cast<std::uint64_t>(tlps) * static_cast<std::uint64_t>(q.step);
  };
  const auto known = static_cast<std::int32_t>(std::min<std::int64_t>(count, r.in_hand[i] - r.used[i]));
  skip(known);
  r.used[i] += count;
  for (std::int32_t left = count - known; left > 0;) {
    const GatedRun passed = x.gate->pass_run(tlp, Duration{q.slope}, left);
    require(passed.first >= tlp.at, "a gate does not turn time back");
    require(passed.count > 0 && passed.count <= left, "a gate answers for what it was asked");
    const Femto delay = femtoseconds(passed.first) - femtoseconds(tlp.at);
    expect(q.transmitter, delay, passed.count);
    if (delay != q.delay) return false;
    left -= passed.count;
    skip(passed.count);
  }
  return true;
}

/// About what of a step starts before the horizon.
bool Engine::FastForward::ask_part(const recurrence::Step& step, Femto now) {
  const bool alike = ask_alike(step, now, engine.horizon_);
  for (const auto& q : step.questions) {
    const std::int32_t count = before(engine.horizon_, now + q.start, q.slope, q.count);
    if (count == 0) continue;
    if (!alike) {
      if (!ask(q, now, count)) return false;
      continue;
    }
    const auto i = static_cast<std::size_t>(q.transmitter);
    const std::int64_t known = std::min<std::int64_t>(count, r.in_hand[i] - r.used[i]);
    r.used[i] += count;
    if (count > known) expect(q.transmitter, q.delay, count - known);
  }
  return true;
}

/// What a gate has said about the first TLPs of a run before they came.
TlpRun Engine::foreseen(Transmitter& x, TlpRun rest) {
  Transmitter::Foreseen& known = x.foreseen.front();
  const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(rest.count, known.count));
  if (count < rest.count && rest.per > 0) {
    TlpRun last = rest;
    go_ahead(last, count - 1);
    rest.tail = last.answered;
  }
  rest.count = count;
  rest.e += known.delay;
  if (count == 1) rest.slope = 0;
  known.count -= count;
  recurrence_.in_hand[static_cast<std::size_t>(x.index)] -= count;
  if (known.count == 0) x.foreseen.pop();
  return rest;
}

}  // namespace peerpath::fabric
