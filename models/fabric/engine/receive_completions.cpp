// Completions that arrive at an endpoint: they end requests and free tags.

#include <algorithm>

#include "fabric/engine/receiver.hpp"

namespace peerpath::fabric::engine {

namespace {

/// Takes in one of all `count` completions of an answer, where some come by another way than others: whether it is the
/// last one of its request.
bool ends_request(Answer& answer, std::int32_t number, std::int32_t count) {
  if (answer.missing.empty()) {  // so far they have come in order
    answer.missing.assign(static_cast<std::size_t>(count / answer.each), answer.each);
    for (std::int64_t i = 0; i < count - answer.open; ++i) --answer.missing[static_cast<std::size_t>(i / answer.each)];
  }
  return --answer.missing[static_cast<std::size_t>(number / answer.each)] == 0;
}

}  // namespace

void Receiver::release_tag(EndpointState& own, Femto when) {
  own.release_tag(when);
  if (own.tags == 0) s_.touch(*own.out);
}

/// All completions of an answer have come.
void Receiver::forget_answer(std::uint32_t index) {
  EndpointState& completer = s_.endpoint(s_.records[s_.answers[index].record].asked.target);
  if (completer.last_answer == index) completer.last_answer = nobody;
  s_.answers.give(index);
}

[[gnu::noinline]] void Receiver::receive_completions(Transmitter& x, const TlpRun& run) {
  EndpointState& own = *x.peer->endpoint;
  constexpr int tlp_class = static_cast<int>(pcie::TlpClass::completion);
  const std::size_t server = x.channel(s_.records[run.record].asked) * pcie::tlp_classes + tlp_class;
  const Femto spacing = run.slope;
  Femto first = run.e;
  std::int32_t offset = run.offset, count = run.count;
  for (std::uint32_t index = run.answered; count > 0;) {
    Answer& answered = s_.answers[index];
    std::int32_t part = run.per == 0 ? count : std::min(count, run.per - offset);
    std::int32_t over = 0;                                    // requests
    const bool overtaken = answered.each > 0 && s_.rerouted;  // perhaps
    if (overtaken) {
      part = 1;
    } else if (answered.each > 0) {
      // The times of all requests in it are known if the server keeps one pace; else each is taken in by itself.
      const std::int32_t ahead = offset % answered.each;
      const Femto service = own.occupancy_of(tlp_class, run.data_dw), free = own.taken_in[server];
      if (free > first && spacing > service) part = std::min(part, answered.each - ahead);
      over = (ahead + part) / answered.each;
      const Femto step = std::max(spacing, service);
      Femto done = std::max(first, free) + service + (answered.each - ahead - 1) * step;
      if (free > first && spacing > service) {
        // The server catches up within this request: the arrival of its last completion counts only if that is later.
        const std::int32_t last = part - 1;
        done = std::max(free + service + last * service, first + last * spacing + service);
      }
      for (std::int32_t i = 0; i < over; ++i, done += answered.each * step) release_tag(own, done);
    }
    const Femto done = take_in(x, own, tlp_class, run, first, spacing, part);
    if (overtaken && ends_request(answered, offset, run.per)) {
      over = 1;
      release_tag(own, done);
    }
    first += part * spacing;
    count -= part;
    offset += part;
    answered.open -= part;
    const std::uint32_t taken = index;
    if (offset == run.per) {  // the next one, also if some of this one come later by another way
      index = answered.next;
      offset = 0;
    }
    if (s_.topology.strays) {
      Record& record = s_.records[run.record];
      if (own.node->id != record.requester && !pcie::request_has_data(record.asked.op))
        record.missing += Bytes{std::int64_t{run.step} * part};
      take_in_stray(own, taken, done);
      continue;
    }
    const pcie::Status status = answered.status;
    if (answered.open == 0) {
      if (answered.each == 0) {
        over = 1;
        release_tag(own, done);
      }
      forget_answer(taken);
    }
    if (over > 0) finish_requests(run.record, status, done, over);
  }
}

/// Completions where some may go astray: a request that lacks one of them ends by the completion timeout.
void Receiver::take_in_stray(const EndpointState& own, std::uint32_t index, Femto done) {
  Answer& answered = s_.answers[index];
  const std::uint32_t record = answered.record;
  const NodeId requester = s_.records[record].requester;
  EndpointState& asking = s_.endpoint(requester);
  answered.done = std::max(answered.done, done);
  answered.lost = answered.lost || own.node->id != requester;
  if (answered.open > 0) return;
  done = answered.done;
  pcie::Status status = answered.status;
  if (answered.lost) {
    done += femtoseconds(asking.config.completion_timeout);
    status = pcie::Status::no_answer;
    asking.timeouts = true;
  }
  release_tag(asking, done);
  forget_answer(index);
  finish_requests(record, status, done, 1);
}

}  // namespace peerpath::fabric::engine
