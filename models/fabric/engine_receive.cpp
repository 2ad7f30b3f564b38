// What an endpoint does with what arrives: takes it in, answers requests, gives tags back, tells the shell.

#include <algorithm>
#include <functional>

#include "fabric/engine.hpp"
#include "fabric/worse_status.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {

/// Works out anew how long a TLP of this size occupies the server of its class.
Femto Leaf::serve(int tlp_class, std::int32_t data_dw) {
  Occupancy& known = occupancy[static_cast<std::size_t>(tlp_class)];
  const ServiceTime& service = config.service[static_cast<std::size_t>(tlp_class)];
  known.data_dw = data_dw;
  known.time = femtoseconds(service.per_tlp);
  if (service.rate.bps() > 0 && data_dw > 0) known.time += femtoseconds(Bytes{4 * data_dw} / service.rate);
  return known.time;
}

/// The first TLPs of a run that comes to the gate of `x`, as a run of their own that goes on from its `e`.
TlpRun Engine::through_gate(Transmitter& x, int tlp_class, TlpRun rest) {
  const TlpRun asked = rest;
  if (!x.foreseen.empty()) {
    rest = foreseen(x, rest);
    if (recurrence_.listener.learning) note_question(x, tlp_class, asked, rest);
    return rest;
  }
  const Record& record = records_[rest.record];
  const Instant at{Duration{rest.e}};
  const GatedRun passed = x.gate->pass_run({.tlp_class = static_cast<pcie::TlpClass>(tlp_class),
                                            .op = record.asked.op,
                                            .purpose = record.asked.purpose,
                                            .translated = record.asked.translated,
                                            .refused = record.refused(tlp_class),
                                            .requester = record.requester,
                                            .target = record.asked.target,
                                            .address = rest.address,
                                            .bytes = Bytes{rest.step},
                                            .at = at},
                                           Duration{rest.slope}, rest.count);
  require(passed.first >= at, "a gate does not turn time back");
  require(passed.count > 0 && passed.count <= rest.count, "a gate answers for what it was asked");
  if (passed.count < rest.count && rest.per > 0) {
    TlpRun last = rest;
    go_ahead(last, passed.count - 1);
    rest.tail = last.answered;
  }
  rest.count = passed.count;
  rest.e = femtoseconds(passed.first);
  if (rest.count == 1) rest.slope = 0;
  if (recurrence_.listener.learning) note_question(x, tlp_class, asked, rest);
  return rest;
}

/// How long the data of one completion takes to become ready after that of the one before.
Femto Leaf::read_time(std::int32_t bytes) {
  if (read_bytes != bytes) {
    read_bytes = bytes;
    read_spacing = config.read_rate.bps() > 0 ? femtoseconds(Bytes{bytes} / config.read_rate) : 0;
  }
  return read_spacing;
}

void Engine::receive(Transmitter& x, int tlp_class, const TlpRun& run, Femto first, Femto spacing, std::int32_t count) {
  if (x.gate == nullptr) return receive_passed(x, tlp_class, run, first, spacing, count);
  TlpRun arriving = run;
  arriving.e = first;
  arriving.slope = spacing;
  arriving.count = count;
  pass_gate(x, tlp_class, arriving,
            [&](const TlpRun& passed) { receive_passed(x, tlp_class, passed, passed.e, passed.slope, passed.count); });
}

void Engine::receive_passed(Transmitter& x, int tlp_class, const TlpRun& run, Femto first, Femto spacing,
                            std::int32_t count) {
  Leaf& own = *x.peer->leaf;
  if (tlp_class != static_cast<int>(pcie::TlpClass::posted) && own.config.one_queue > 0)
    return hold(x, tlp_class, run, first, spacing, count);
  if (tlp_class == static_cast<int>(pcie::TlpClass::non_posted)) {
    if (count > 1 && take_in_requests(x, own, run, first, spacing, count)) return;
    for (std::int32_t i = 0; i < count; ++i)
      take_in_request(x, own, run, first + i * spacing,
                      run.address + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(run.step));
    return;
  }
  if (tlp_class == static_cast<int>(pcie::TlpClass::completion))
    return receive_completions(x, run, first, spacing, count);
  const Femto done = take_in(x, own, tlp_class, run, first, spacing, count);
  Record& record = records_[run.record];
  record.open -= count;
  if (topology_.strays) {
    record.done = std::max(record.done, done);
    if (record.asked.target.value() != own.node->number) record.status = worse(record.status, own.config.misdirected);
    if (record.open == 0) finish_posted(record, run.record, leaf(record.asked.target), record.done);
  } else if (record.open == 0) {
    finish_posted(record, run.record, own, done);
  }
}

void Engine::receive_completions(Transmitter& x, const TlpRun& run, Femto first, Femto spacing, std::int32_t count) {
  Leaf& own = *x.peer->leaf;
  constexpr int tlp_class = static_cast<int>(pcie::TlpClass::completion);
  std::int32_t offset = run.offset;
  for (std::uint32_t index = run.answered; count > 0;) {
    Answer& answered = answers_[index];
    std::int32_t part = run.per == 0 ? count : std::min(count, run.per - offset);
    std::int32_t over = 0;                                  // requests
    const bool overtaken = answered.each > 0 && rerouted_;  // perhaps
    if (overtaken) {
      part = 1;
    } else if (answered.each > 0) {
      // The times of all requests in it are known if the server keeps one pace; else each is taken in by itself.
      const std::int32_t ahead = offset % answered.each;
      const Femto service = own.occupancy_of(tlp_class, run.data_dw), free = own.taken_in[pool(x, tlp_class, run)];
      if (free > first && spacing > service) part = std::min(part, answered.each - ahead);
      over = (ahead + part) / answered.each;
      const Femto step = std::max(spacing, service);
      Femto done = std::max(first, free) + service + (answered.each - ahead - 1) * step;
      if (free > first && spacing > service) {
        // The server catches up within this request: the arrival of its last completion counts only if that is later.
        const std::int32_t last = part - 1;
        done = std::max(free + service + last * service, first + last * spacing + service);
      }
      for (std::int32_t i = 1; i < over; ++i, done += answered.each * step) own.release_tag(done);
      if (over > 0) {
        own.release_tag(done);
        if (own.tags == 0) touch(*own.out);
      }
    }
    const Femto done = take_in(x, own, tlp_class, run, first, spacing, part);
    if (overtaken && ends_request(answered, offset, run.per)) {
      over = 1;
      own.release_tag(done);
      if (own.tags == 0) touch(*own.out);
    }
    first += part * spacing;
    count -= part;
    offset += part;
    answered.open -= part;
    if (topology_.strays) {
      const std::uint32_t taken = index;
      if (offset == run.per) index = answered.next, offset = 0;
      take_in_stray(own, taken, done);
      continue;
    }
    const pcie::Status status = answered.status;
    if (answered.open == 0) {
      if (answered.each == 0) {
        over = 1;
        own.release_tag(done);
        if (own.tags == 0) touch(*own.out);
      }
      Leaf& completer = leaf(records_[run.record].asked.target);
      if (completer.last_answer == index) completer.last_answer = nobody;
      answers_.give(index);
    }
    if (offset == run.per) {  // the next one, also if some of this one come later by another way
      index = answered.next;
      offset = 0;
    }
    if (over > 0) finish_request(run.record, status, done, over);
  }
}

/// Takes in one of all `count` completions of an answer, where some come by another way than others: whether it is the
/// last one of its request.
bool Engine::ends_request(Answer& answer, std::int32_t number, std::int32_t count) {
  if (answer.missing.empty()) {  // so far they have come in order
    answer.missing.assign(static_cast<std::size_t>(count / answer.each), answer.each);
    for (std::int64_t i = 0; i < count - answer.open; ++i) --answer.missing[static_cast<std::size_t>(i / answer.each)];
  }
  return --answer.missing[static_cast<std::size_t>(number / answer.each)] == 0;
}

/// Completions where some may go astray: a request that lacks one of them ends by the completion timeout.
void Engine::take_in_stray(const Leaf& own, std::uint32_t index, Femto done) {
  Answer& answered = answers_[index];
  const std::uint32_t asked = answered.record;
  const NodeId requester = records_[asked].requester;
  Leaf &asking = leaf(requester), &completer = leaf(records_[asked].asked.target);
  answered.done = std::max(answered.done, done);
  answered.lost = answered.lost || own.node->number != requester.value();
  if (answered.open > 0) return;
  done = answered.done;
  pcie::Status status = answered.status;
  if (answered.lost) {
    done += femtoseconds(asking.config.completion_timeout);
    status = pcie::Status::no_answer;
    asking.timeouts = true;
  }
  asking.release_tag(done);
  if (asking.tags == 0) touch(*asking.out);
  if (completer.last_answer == index) completer.last_answer = nobody;
  answers_.give(index);
  finish_request(asked, status, done);
}

/// Passes equally spaced arrivals through the server of their class: while it is behind they leave it back to back,
/// afterwards at their own spacing. Gives the credits back and returns when the last is done.
Femto Engine::take_in(Transmitter& x, Leaf& leaf, int tlp_class, const TlpRun& run, Femto first, Femto spacing,
                      std::int32_t count) {
  const Femto service = leaf.occupancy_of(tlp_class, run.data_dw);
  const std::size_t by = pool(x, tlp_class, run);
  CreditLoop& credit = x.credit[by];
  Femto& free = leaf.taken_in[by];
  while (count > 0) {
    Femto done = std::max(first, free) + service, step = 0;
    std::int32_t piece = 1;
    if (count > 1) {
      step = std::max(spacing, service);
      piece = count;
      if (free > first && spacing > service) {
        // TLP q is done at free + (q + 1) * service while that is no earlier than its arrival + service.
        step = service;
        piece = static_cast<std::int32_t>(std::min<Femto>(count, (free - first) / (spacing - service) + 1));
      }
    }
    if (credit.limited()) credit.give(done + x.update_fc, step, piece, run.units);
    free = done + (piece - 1) * step;
    first += piece * spacing;
    count -= piece;
  }
  return free;
}

void Engine::take_in_request(Transmitter& x, Leaf& leaf, const TlpRun& run, Femto arrival, std::uint64_t address) {
  const Femto done = take_in(x, leaf, static_cast<int>(pcie::TlpClass::non_posted), run, arrival, 0, 1);
  Record& record = records_[run.record];
  const std::uint64_t number =
      x.channel(record.asked) == 0 ? leaf.requests++ : leaf.vc1_requests++ | std::uint64_t{1} << 31;
  if (topology_.strays && record.asked.target.value() != leaf.node->number)
    return take_in_misdirected(leaf, run, done, address);
  --leaf.inbound;
  if (!leaf.config.external && record.asked.answer == pcie::Status::no_answer) {
    if (--record.lost == 0 && record.open == 0) records_.give(run.record);
    return;
  }
  const std::uint32_t index = answers_.take();
  answers_[index] = {run.record, 0, record.asked.answer, false, 0, address, Bytes{run.step}, nobody, 0, 0, {}};
  if (leaf.config.external) {
    Delivery delivery = record.told(DeliveryKind::requested, true, pcie::Status::success, done);
    delivery.request = RequestId{index};
    delivery.address = address;
    delivery.bytes = Bytes{run.step};
    notice(leaf, done);
    sink_->deliver(delivery);
    return;
  }
  --leaf.requests_coming;
  const auto most = static_cast<std::uint64_t>(femtoseconds(leaf.config.read_jitter));
  Femto jitter = 0;
  if (most > 0)
    jitter = static_cast<Femto>(
        mix(topology_.seed ^ mix(static_cast<std::uint64_t>(leaf.node->number) << 32 | number)) % (most + 1));
  answer(leaf, index, done + femtoseconds(leaf.config.read_latency) + jitter, true);
}

/// A request has come to an endpoint that it is not meant for.
void Engine::take_in_misdirected(Leaf& own, const TlpRun& run, Femto done, std::uint64_t address) {
  Record& record = records_[run.record];
  Leaf& target = leaf(record.asked.target);
  --target.inbound;
  if (target.config.external) {
    --target.notices_coming;
    --notices_coming_;
  } else if (record.asked.answer == pcie::Status::no_answer) {
    if (--record.lost == 0 && record.open == 0) records_.give(run.record);
    return;
  } else {
    --target.requests_coming;
  }
  const std::uint32_t index = answers_.take();
  answers_[index] = {run.record, 0, own.config.misdirected, false, 0, address, Bytes{run.step}, nobody, 0, done, {}};
  answer(own, index, done + femtoseconds(own.config.read_latency), true);
}

/// Several requests at once, if they are answered by completions of one size at one pace.
bool Engine::take_in_requests(Transmitter& x, Leaf& leaf, const TlpRun& run, Femto first, Femto spacing,
                              std::int32_t count) {
  constexpr int tlp_class = static_cast<int>(pcie::TlpClass::non_posted);
  Record& record = records_[run.record];
  if (topology_.strays || x.vc1_classes != 0 || leaf.config.external || leaf.config.read_jitter > Duration{} ||
      record.asked.op != pcie::Operation::memory_read || record.asked.answer != pcie::Status::success ||
      !leaf.completions.cover(run.address, Bytes{run.step}))
    return false;
  const Femto service = leaf.occupancy_of(tlp_class, run.data_dw), free = leaf.taken_in[tlp_class];
  TlpRun tlps;
  tlps.slope = leaf.read_time(leaf.completions.step);
  const std::int32_t each = run.step >> leaf.completions.shift;
  // The read server is behind from the first request on, and requests are taken in at one pace.
  if (each * tlps.slope < std::max(spacing, service) || (free > first && spacing > service) ||
      std::int64_t{count} * each > UINT16_MAX)
    return false;
  const Femto ready = std::max(first, free) + service + femtoseconds(leaf.config.read_latency);
  take_in(x, leaf, tlp_class, run, first, spacing, count);
  leaf.requests += static_cast<std::uint64_t>(count);
  leaf.inbound -= count;
  leaf.requests_coming -= count;
  const std::uint32_t index = answers_.take();
  answers_[index] = {run.record, 0, pcie::Status::success, false, 0, run.address, Bytes{run.step}, nobody, each, 0, {}};
  leaf.completions.cut(pcie::completion_header_double_words, run.address, Bytes{std::int64_t{count} * run.step}, tlps);
  tlps.record = run.record;
  tlps.answered = tlps.tail = index;
  tlps.out = static_cast<std::uint16_t>(leaf.out->index);
  tlps.e = std::max(leaf.read_free, ready) + tlps.slope;
  leaf.read_free = tlps.e + (tlps.count - 1) * tlps.slope;
  queue_answer(leaf, index, tlps);
  enqueue(*leaf.node, leaf.node->queues[static_cast<int>(pcie::TlpClass::completion)], tlps);
  return true;
}

/// Notes the completions of an answer, which are of whole steps.
void Engine::queue_answer(Leaf& leaf, std::uint32_t index, TlpRun& tlps) {
  Answer& answered = answers_[index];
  answered.open = tlps.count;
  tlps.per = static_cast<std::uint16_t>(tlps.count);
  if (leaf.last_answer != nobody && answers_[leaf.last_answer].record == answered.record)
    answers_[leaf.last_answer].next = index;
  leaf.last_answer = index;
}

/// Queues the completions of one request on channel 0.
void Engine::answer(Leaf& leaf, std::uint32_t index, Femto data_ready, bool from_read_server) {
  Answer& answered = answers_[index];
  const Record& record = records_[answered.record];
  TlpRun tlps;
  tlps.record = answered.record;
  tlps.answered = tlps.tail = index;
  tlps.out = static_cast<std::uint16_t>(leaf.out->index);
  Queue& fifo = completions_queue(leaf, record.asked);
  Femto& read_free = leaf.out->channel(record.asked) == 0 ? leaf.read_free : leaf.vc1_read_free;
  const auto add = [&] {
    tlps.e = data_ready;
    if (from_read_server) {
      tlps.slope = tlps.data_dw > 0 ? leaf.read_time(tlps.step) : 0;
      tlps.e = std::max(read_free, data_ready) + tlps.slope;
      read_free = tlps.e + (tlps.count - 1) * tlps.slope;
    }
    enqueue(*leaf.node, fifo, tlps);
  };
  if (record.asked.op == pcie::Operation::memory_read && answered.status == pcie::Status::success &&
      (!topology_.strays || (!leaf.config.external && leaf.node->number == record.asked.target.value())) &&
      leaf.completions.cover(answered.address, answered.bytes)) {
    leaf.completions.cut(pcie::completion_header_double_words, answered.address, answered.bytes, tlps);
    queue_answer(leaf, index, tlps);
    return add();
  }
  leaf.last_answer = nobody;
  const auto runs =
      pcie::split_completion(leaf.rules, record.asked.op, answered.status, answered.address, answered.bytes);
  answered.open = runs.pieces();
  for (const pcie::Run& run : runs) {
    tlps.set_size(run);
    add();
  }
}

void Engine::respond(RequestId request, Instant ready, pcie::Status status) {
  if (recurrence_.riding) catch_up();  // else the steps would go on as if nothing were answered
  const auto index = static_cast<std::uint32_t>(request.value());
  require(index < answers_.size(), "a response to an unknown request");
  require(femtoseconds(ready) >= reached_, "a response was given for a time already computed");
  Answer& answered = answers_[index];
  answered.status = status;
  const Transaction& asked = records_[answered.record].asked;
  Leaf& own = leaf(asked.target);
  Queue& fifo = completions_queue(own, asked);
  const std::size_t waiting = fifo.runs.size();
  answer(own, index, femtoseconds(ready), false);
  if (topology_.strays) bring_forward(own, fifo, waiting);
  settle();
}

/// Completions enter in the order of time, but those of misdirected requests were queued as soon as it was known when
/// these will be taken in: the runs from `first` on, which enter now, go before those that enter later.
void Engine::bring_forward(Leaf& own, Queue& fifo, std::size_t first) {
  bool foremost = false;
  for (std::size_t i = first; i < fifo.runs.size(); ++i) {
    std::size_t at = i;
    for (; at > 0 && answers_[fifo.runs[at - 1].answered].entered > reached_; --at)
      std::swap(fifo.runs[at - 1], fifo.runs[at]);
    foremost = foremost || (at == 0 && i > 0);
  }
  if (foremost) refresh_head(*own.node, fifo);
}

void Engine::finish_request(std::uint32_t index, pcie::Status status, Femto done, std::int32_t count) {
  Record& record = records_[index];
  record.done = std::max(record.done, done);
  record.status = std::max(record.status, status);
  record.open -= count;
  if (record.open > 0) return;
  Leaf& requester = leaf(record.requester);
  --requester.inbound;
  requester.steady.answered = record.done;
  if (record.lost == 0) records_.give(index);
  if (record.asked.notify_requester) notice(requester, record.done);
  sink_->deliver(record.told(DeliveryKind::completed, record.asked.notify_requester, record.status, record.done));
}

/// Somebody at this endpoint will react to what is done at `done`.
[[gnu::noinline]] void Engine::notice(Leaf& leaf, Femto done) {
  --leaf.notices_coming;
  --notices_coming_;
  if (leaf.config.reaction >= Duration{unknown_time / 2}) return;
  const Femto bound = done + femtoseconds(leaf.config.reaction);
  bounds_.push_back(bound);
  std::ranges::push_heap(bounds_, std::greater<>{});
  horizon_ = std::min(horizon_, bound);
}

}  // namespace peerpath::fabric
