#include "fabric/engine/queues.hpp"

#include <algorithm>

namespace peerpath::fabric::engine {

namespace {

constexpr int posted = static_cast<int>(pcie::TlpClass::posted);
constexpr int completion = static_cast<int>(pcie::TlpClass::completion);

}  // namespace

Fifo& Queues::entered(const Transmitter& x, const Fifo& left, const Record& record) const {
  Transmitter& out = *x.routes[record.ways[left.tlp_class == completion ? 1 : 0]];
  const int ingress = left.channel == 0 ? x.peer_port : x.peer_vc1_ingress;
  const std::size_t by = out.vc1_classes == 0 ? 0 : out.channel(record.asked);
  return out.fifos[by][ingress * 3 + left.tlp_class];
}

void Queues::enqueue(Fifo& fifo, const TlpRun& run) {
  fifo.runs.push(run);
  enter(fifo, s_.records[run.record]);
}

/// Whether the TLPs of `run` are those of its transaction that come after `last`.
bool Queues::continues(const TlpRun& last, const TlpRun& run) const {
  if (last.dw != run.dw || last.step != run.step || last.per != run.per ||
      last.address + static_cast<std::uint64_t>(last.count) * static_cast<std::uint64_t>(last.step) != run.address)
    return false;
  return run.per == 0 ? last.answered == run.answered
                      : run.answered == (run.offset == 0 ? s_.answers[last.tail].next : last.tail);
}

void Queues::go_ahead_answers(TlpRun& run, std::int32_t count) const {
  std::int32_t offset = run.offset + count;
  for (; offset >= run.per && run.answered != nobody; offset -= run.per) run.answered = s_.answers[run.answered].next;
  run.offset = static_cast<std::uint16_t>(offset);
}

void Queues::cut(TlpRun& run, std::int32_t count) const {
  if (run.per > 0) {
    TlpRun last = run;
    go_ahead(last, count - 1);
    run.tail = last.answered;
  }
  run.count = count;
}

/// The same as `refresh_head` where the head may wait for posted TLPs, or go by either of two virtual channels.
[[gnu::noinline]] void Queues::refresh_special_head(Fifo& fifo) {
  const TlpRun& run = fifo.runs.front();
  Transmitter& x = *fifo.out;
  const Lane& lane = *fifo.lane;
  const bool blocked = run.mark > lane.posted_out;
  x.blocked += static_cast<int>(blocked) - static_cast<int>(fifo.blocked);
  fifo.blocked = blocked;
  if (blocked) return;
  fifo.head = std::max(run.e, fifo.left);
  if (run.mark > 0 && run.mark == lane.posted_out) fifo.head = std::max(fifo.head, lane.posted_left);
  if (x.vc1_classes != 0 && x.node->endpoint != nullptr) {
    x.candidates[fifo.channel] &= ~fifo.bit;
    fifo.set_channel(x.channel(s_.records[run.record].asked));
  }
  x.candidates[fifo.channel] |= fifo.bit;
  s_.touch(x);
}

void Queues::leave(Transmitter& x, Fifo& fifo, const Departure& departure) {
  Lane& lane = *fifo.lane;
  TlpRun& run = fifo.runs.front();
  if (fifo.held != nullptr) {
    Transmitter& back = *lane.from;
    fifo.held->give(lane.stream, departure.first + departure.serialisation + back.update_fc, departure.spacing,
                    departure.count, run.units);
    if (back.unknown) s_.touch(back);
  }
  fifo.left = x.free;
  if (run.count == departure.count) {
    fifo.runs.pop();
    x.candidates[fifo.channel] &= ~fifo.bit;
    if (fifo.held != nullptr && fifo.runs.empty()) fifo.held->wait_no_more(lane.stream);
  } else {
    go_ahead(run, departure.count);  // answers that are over keep the next one until they are used again
  }
  if (fifo.tlp_class == posted) {
    lane.posted_out += departure.count;
    lane.posted_left = x.free;
    if (x.blocked > 0)
      for (Fifo* const other : {&fifo + 1, &fifo + 2})
        if (other->blocked) refresh_head(*other);
  }
  if (!fifo.runs.empty()) refresh_head(fifo);
}

}  // namespace peerpath::fabric::engine
