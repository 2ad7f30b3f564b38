// Requests that arrive at an endpoint, and the completions that answer them.

#include <algorithm>

#include "fabric/engine/receiver.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::fabric::engine {

namespace {

constexpr int non_posted = static_cast<int>(pcie::TlpClass::non_posted);

}  // namespace

[[gnu::noinline]] void Receiver::receive_requests(Transmitter& x, EndpointState& own, const TlpRun& run) {
  if (run.count > 1 && take_in_requests(x, own, run)) return;
  for (std::int32_t i = 0; i < run.count; ++i)
    take_in_request(x, own, run, run.e + i * run.slope,
                    run.address + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(run.step));
}

void Receiver::take_in_request(Transmitter& x, EndpointState& own, const TlpRun& run, Femto arrival,
                               std::uint64_t address) {
  const Femto done = take_in(x, own, non_posted, run, arrival, 0, 1);
  Record& record = s_.records[run.record];
  const std::size_t vc = x.channel(record.asked);
  const std::uint64_t number = own.requests[vc]++ | std::uint64_t{vc} << 31;
  if (s_.topology.strays && record.asked.target != own.node->id) return take_in_misdirected(own, run, done, address);
  --own.inbound;
  if (!own.config.external && record.asked.answer == pcie::Status::no_answer) {
    if (--record.lost == 0 && record.open == 0) s_.close(run.record);
    return;
  }
  const std::uint32_t index = s_.answers.take();
  s_.answers[index] = {run.record, 0, record.asked.answer, false, 0, address, Bytes{run.step}, nobody, 0, 0, {}};
  if (own.config.external) {
    Delivery delivery = record.told(DeliveryKind::requested, true, pcie::Status::success, done);
    delivery.request = RequestId{index};
    delivery.address = address;
    delivery.bytes = Bytes{run.step};
    s_.notice(own, done);
    s_.sink.deliver(delivery);
    return;
  }
  --own.requests_coming;
  const auto most = static_cast<std::uint64_t>(femtoseconds(own.config.read_jitter));
  Femto jitter = 0;
  if (most > 0)
    jitter = static_cast<Femto>(mix(s_.topology.seed ^ mix(std::uint64_t{own.node->id.value()} << 32 | number)) %
                                (most + 1));
  answer(own, index, done + femtoseconds(own.config.read_latency) + jitter, true);
}

/// A request has come to an endpoint that it is not meant for.
void Receiver::take_in_misdirected(EndpointState& own, const TlpRun& run, Femto done, std::uint64_t address) {
  Record& record = s_.records[run.record];
  EndpointState& target = s_.endpoint(record.asked.target);
  --target.inbound;
  if (target.config.external) {
    --target.notices_coming;
    --s_.notices_coming;
  } else if (record.asked.answer == pcie::Status::no_answer) {
    if (--record.lost == 0 && record.open == 0) s_.close(run.record);
    return;
  } else {
    --target.requests_coming;
  }
  const std::uint32_t index = s_.answers.take();
  s_.answers[index] = {run.record, 0, own.config.misdirected, false, 0, address, Bytes{run.step}, nobody, 0, done, {}};
  answer(own, index, done + femtoseconds(own.config.read_latency), true);
}

/// Several requests at once, if they are answered by completions of one size at one pace.
bool Receiver::take_in_requests(Transmitter& x, EndpointState& own, const TlpRun& run) {
  const Record& record = s_.records[run.record];
  if (s_.topology.strays || x.vc1_classes != 0 || own.config.external || own.config.read_jitter > Duration{} ||
      record.asked.op != pcie::Operation::memory_read || record.asked.answer != pcie::Status::success ||
      !own.completions.whole(run.address, Bytes{run.step}))
    return false;
  const Femto service = own.occupancy_of(non_posted, run.data_dw), free = own.taken_in[non_posted];
  TlpRun tlps;
  tlps.slope = own.read_time(own.completions.step);
  const std::int32_t each = run.step >> own.completions.shift;
  // The read server is behind from the first request on, and requests are taken in at one pace.
  if (each * tlps.slope < std::max(run.slope, service) || (free > run.e && run.slope > service) ||
      std::int64_t{run.count} * each > UINT16_MAX)
    return false;
  const Femto ready = std::max(run.e, free) + service + femtoseconds(own.config.read_latency);
  take_in(x, own, non_posted, run, run.e, run.slope, run.count);
  own.requests[0] += static_cast<std::uint64_t>(run.count);
  own.inbound -= run.count;
  own.requests_coming -= run.count;
  const std::uint32_t index = s_.answers.take();
  s_.answers[index] = {run.record, 0, pcie::Status::success, false, 0, run.address, Bytes{run.step}, nobody, each,
                       0,          {}};
  own.completions.cut(pcie::completion_header_double_words, run.address, Bytes{std::int64_t{run.count} * run.step},
                      tlps);
  tlps.record = run.record;
  tlps.answered = tlps.tail = index;
  tlps.e = std::max(own.read_free[0], ready) + tlps.slope;
  own.read_free[0] = tlps.last_e();
  queue_whole_steps(own, index, tlps);
  queues_.enqueue(Queues::completions_of(own, record.asked), tlps);
  return true;
}

/// Notes the completions of an answer, which are of whole steps.
void Receiver::queue_whole_steps(EndpointState& own, std::uint32_t index, TlpRun& tlps) {
  Answer& answered = s_.answers[index];
  answered.open = tlps.count;
  tlps.per = static_cast<std::uint16_t>(tlps.count);
  if (own.last_answer != nobody && s_.answers[own.last_answer].record == answered.record)
    s_.answers[own.last_answer].next = index;
  own.last_answer = index;
}

void Receiver::answer(EndpointState& own, std::uint32_t index, Femto data_ready, bool from_read_server) {
  Answer& answered = s_.answers[index];
  Record& record = s_.records[answered.record];
  if (answered.status != pcie::Status::success) record.missing += answered.bytes;
  TlpRun tlps;
  tlps.record = answered.record;
  tlps.answered = tlps.tail = index;
  Fifo& fifo = Queues::completions_of(own, record.asked);
  Femto& read_free = own.read_free[own.out->channel(record.asked)];
  const auto add = [&] {
    tlps.e = data_ready;
    if (from_read_server) {
      tlps.slope = tlps.data_dw > 0 ? own.read_time(tlps.step) : 0;
      tlps.e = std::max(read_free, data_ready) + tlps.slope;
      read_free = tlps.last_e();
    }
    queues_.enqueue(fifo, tlps);
  };
  if (record.asked.op == pcie::Operation::memory_read && answered.status == pcie::Status::success &&
      (!s_.topology.strays || (!own.config.external && own.node->id == record.asked.target)) &&
      own.completions.cover(answered.address, answered.bytes)) {
    own.completions.cut(pcie::completion_header_double_words, answered.address, answered.bytes, tlps);
    queue_whole_steps(own, index, tlps);
    return add();
  }
  own.last_answer = nobody;
  const auto runs =
      pcie::split_completion(own.rules, record.asked.op, answered.status, answered.address, answered.bytes);
  answered.open = runs.pieces();
  for (const pcie::Run& run : runs) {
    tlps.set_size(run);
    add();
  }
}

}  // namespace peerpath::fabric::engine
