#include "fabric/engine/receiver.hpp"

#include <algorithm>

#include "fabric/vocabulary/worse_status.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric::engine {

bool Receiver::pass_gate(Transmitter& x, int tlp_class, TlpRun& run, const Record& record, TlpRun& rest) {
  const Instant at{Duration{run.e}};
  const GatedRun passed = x.gate->pass_run({.tlp_class = static_cast<pcie::TlpClass>(tlp_class),
                                            .op = record.asked.op,
                                            .purpose = record.asked.purpose,
                                            .translated = record.asked.translated,
                                            .relaxed_ordering = record.asked.relaxed_ordering,
                                            .refused = record.refused(tlp_class),
                                            .requester = record.requester,
                                            .target = record.asked.target,
                                            .address = run.address,
                                            .bytes = Bytes{run.step},
                                            .at = at},
                                           Duration{run.slope}, run.count);
  require(passed.first >= at, "a gate does not turn time back");
  require(passed.count > 0 && passed.count <= run.count, "a gate answers for the TLPs that it was asked about");
  const bool all = passed.count == run.count;
  if (!all) {
    rest = run;
    queues_.go_ahead(rest, passed.count);
    queues_.cut(run, passed.count);
  }
  run.e = femtoseconds(passed.first);
  return all;
}

void Receiver::receive(Transmitter& x, const Fifo& fifo, const TlpRun& run, Femto first, Femto spacing,
                       std::int32_t count) {
  TlpRun arriving = run;
  arriving.e = first;
  arriving.slope = spacing;
  arriving.count = count;
  if (x.gate != nullptr)
    for (TlpRun rest; !pass_gate(x, fifo.tlp_class, arriving, s_.records[run.record], rest); arriving = rest)
      receive_passed(x, fifo.tlp_class, arriving);
  receive_passed(x, fifo.tlp_class, arriving);
}

/// TLPs count as arrived at run.e and so on.
void Receiver::receive_passed(Transmitter& x, int tlp_class, const TlpRun& run) {
  EndpointState& own = *x.peer->endpoint;
  switch (static_cast<pcie::TlpClass>(tlp_class)) {
    case pcie::TlpClass::posted:
      return receive_posted(x, own, run);
    case pcie::TlpClass::non_posted:
      return own.config.one_queue > 0 ? hold(x, tlp_class, run) : receive_requests(x, own, run);
    case pcie::TlpClass::completion:
      return own.config.one_queue > 0 ? hold(x, tlp_class, run) : receive_completions(x, run);
  }
}

void Receiver::receive_posted(Transmitter& x, EndpointState& own, const TlpRun& run) {
  const Femto done = take_in(x, own, static_cast<int>(pcie::TlpClass::posted), run, run.e, run.slope, run.count);
  Record& record = s_.records[run.record];
  record.open -= run.count;
  if (!s_.topology.strays) {
    if (record.open == 0) finish_posted(run.record, own, done);
    return;
  }
  record.done = std::max(record.done, done);
  if (record.asked.target != own.node->id) {
    record.status = worse(record.status, own.config.misdirected);
    record.missing += Bytes{std::int64_t{run.step} * run.count};
  }
  if (record.open == 0) finish_posted(run.record, s_.endpoint(record.asked.target), record.done);
}

void Receiver::finish_posted(std::uint32_t index, EndpointState& target, Femto done) {
  Record& record = s_.records[index];
  const Transaction& t = record.asked;
  --target.inbound;
  s_.close(index);
  const bool notify = t.notify_target || t.notify_requester;
  if (t.notify_target) s_.notice(target, done);
  if (t.notify_requester) {
    EndpointState& requester = s_.endpoint(record.requester);
    --requester.echoes_coming;
    s_.notice(requester, done);
  }
  s_.sink.deliver(record.told(DeliveryKind::arrived, notify, record.status, done));
}

void Receiver::finish_requests(std::uint32_t index, pcie::Status status, Femto done, std::int32_t count) {
  Record& record = s_.records[index];
  record.done = std::max(record.done, done);
  record.status = std::max(record.status, status);
  record.open -= count;
  if (record.open > 0) return;
  EndpointState& requester = s_.endpoint(record.requester);
  --requester.inbound;
  if (record.lost == 0) s_.close(index);
  if (record.asked.notify_requester) s_.notice(requester, record.done);
  s_.sink.deliver(record.told(DeliveryKind::completed, record.asked.notify_requester, record.status, record.done));
}

/// Passes equally spaced arrivals through the server of their class: while it is behind they leave it back to back,
/// afterwards at their own spacing. Gives the credits back and returns when the last is done.
Femto Receiver::take_in(Transmitter& x, EndpointState& own, int tlp_class, const TlpRun& run, Femto first,
                        Femto spacing, std::int32_t count) {
  const Femto service = own.occupancy_of(tlp_class, run.data_dw);
  const std::size_t channel = x.vc1_classes == 0 ? 0 : x.channel(s_.records[run.record].asked);
  const std::size_t by = channel * pcie::tlp_classes + static_cast<std::size_t>(tlp_class);
  CreditLoop& credit = x.credit[by];
  Femto& free = own.taken_in[by];
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
    if (credit.limited()) credit.give(0, done + x.update_fc, step, piece, run.units);
    free = done + (piece - 1) * step;
    first += piece * spacing;
    count -= piece;
  }
  return free;
}

}  // namespace peerpath::fabric::engine
