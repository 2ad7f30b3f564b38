#include "transport/roce/fleet.hpp"

#include <algorithm>
#include <bit>

#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"
#include "transport/roce/flow_hash.hpp"
#include "transport/roce/frame.hpp"

namespace peerpath::roce {
namespace {

using Cargo = decltype(network::Packet::cargo);
static_assert(sizeof(Packet) == sizeof(Cargo));

Duration net_time(std::int64_t frame, BitRate rate) { return net::wire_size(Bytes{frame}) / rate; }

}  // namespace

void Fleet::attach(network::Network& network) {
  network_ = &network;
  nics_.resize(network.graph().hosts.size());
  for (auto& nic : nics_) nic.priorities = static_cast<std::uint8_t>(1 << config_.priority);
  for (std::size_t h = 0; h < config_.hosts.size() && h < nics_.size(); ++h)
    nics_[h].memory = RatedMemory{config_.hosts[h]};
  if (config_.translations.entries > 0)
    for (auto& nic : nics_) nic.translations.emplace(config_.translations.entries);
  if (config_.contexts.entries > 0)
    for (auto& nic : nics_) nic.contexts.emplace(config_.contexts.entries);
  for (std::size_t h = 0; h < config_.dma.size() && h < nics_.size(); ++h) nics_[h].dma = config_.dma[h];
}

QpIndex Fleet::reserve(std::size_t connections) {
  const auto first = static_cast<QpIndex>(qps_.size());
  qps_.resize(qps_.size() + 2 * connections);
  return first;
}

void Fleet::set_priority(QpIndex qp, int priority) {
  require(!qps_[qp]->sends, "a queue pair has its priority before it sends");
  qps_[qp]->priority = static_cast<std::uint8_t>(priority);
  nics_[qps_[qp]->host].priorities |= static_cast<std::uint8_t>(1 << priority);
}

void Fleet::open(QpIndex first, HostIndex a, HostIndex b, bool urgent) { make(first, a, b).urgent = urgent; }

Fleet::QueuePair& Fleet::make(QpIndex number, HostIndex at, HostIndex to) {
  const auto line = network_->port(network_->port_of(at)).rate;
  auto attributes = config_.connection;
  attributes.remote_qp = number ^ 1;
  auto& qp = add(number, at, to, attributes, line);
  qp.priority = static_cast<std::uint8_t>(config_.priority);
  qp.hash = flow_hash(at, to, number & ~QpIndex{1}, config_.port_by_qp);
  return qp;
}

std::int64_t Fleet::retransmissions() const {
  std::int64_t sum = 0;
  for (const auto& qp : ends_) sum += qp.requester.retransmissions();
  return sum;
}

void Fleet::post(QpIndex index, const WorkRequest& request, Instant now) {
  auto& qp = *qps_[index];
  qp.waiting.push({request, now, now + (qp.urgent ? Duration{} : config_.work.fetch)});
  activate(qp, now);
  finish(qp, now);
}

void Fleet::stop(QpIndex index, Instant now) {
  qps_[index]->requester.stop();
  finish(*qps_[index], now);
}

/// Gives the requester its next request as soon as it has sent those before, and the NIC has it.
void Fleet::feed(QueuePair& qp, Instant now) {
  while (!qp.waiting.empty() && qp.requester.has_sent_all()) {
    const auto next = qp.waiting.front();
    if (next.ready > now && !qp.requester.has_failed()) return;
    qp.waiting.pop();
    qp.posted.push(next.posted);
    qp.requester.post(next.request);
  }
}

void Fleet::activate(QueuePair& qp, Instant now) {
  feed(qp, now);
  sort(qp, now);
  auto& nic = nics_[qp.host];
  bool more = false;
  if (!qp.answers && (qp.responder.can_send() || qp.cnp)) {
    qp.answers = more = true;
    nic.answering.push(qp.number);
  }
  const bool comes = qp.requester.has_sent_all() && !qp.waiting.empty();  // the NIC will have it later
  if (!qp.sends && (comes || qp.requester.can_send(now))) {
    qp.sends = more = true;
    if (qp.urgent) {
      nic.urgent.push(qp.number);
    } else {
      qp.kinds = 0;
      qp.due = never;
      qp.turn = nic.sending.push(qp.number, qp.kinds);
      sort(qp, now);
    }
  }
  if (more && nic.transmit_buffer() > 0) stage(nic, qp.host, now);
  if (more) network_->ready(qp.host, now);
}

void Fleet::send(QueuePair& qp, const Packet& packet, int priority, network::Packet& out) {
  out.source = qp.host;
  out.destination = qp.other;
  out.flow_hash = qp.hash;
  out.destination_qp = qp.number ^ 1;
  out.bytes = static_cast<std::int32_t>(frame_size(packet));
  out.priority = static_cast<std::uint8_t>(priority);
  out.ecn_capable = priority == qp.priority;
  out.cargo = std::bit_cast<Cargo>(packet);
  ++nics_[qp.host].counters.sent;
}

bool Fleet::next(HostIndex host, std::uint8_t open, Instant now, network::Packet& out) {
  auto& nic = nics_[host];
  if (!nic.answering.empty() && next_answer(nic, open, now, out)) return true;
  if ((open >> config_.urgent_priority & 1) && next_urgent(nic, now, out)) return true;
  return (open & nic.priorities) != 0 && next_data(nic, host, open, now, out);
}

/// Short messages that neither DCQCN nor a slow host holds back.
bool Fleet::next_urgent(Nic& nic, Instant now, network::Packet& out) {
  while (!nic.urgent.empty()) {
    auto& qp = *qps_[nic.urgent.front()];
    nic.urgent.pop();
    qp.sends = qp.requester.can_send(now);
    if (!qp.sends) {
      if (qp.resting) put_away(qp);
      continue;
    }
    nic.urgent.push(qp.number);
    send(qp, qp.requester.next(now).packet, config_.urgent_priority, out);
    feed(qp, now);
    watch(qp);
    return true;
  }
  return false;
}

/// Acknowledgements and CNPs. Read responses carry data, so they go in its priority, and wait until memory gives it.
bool Fleet::next_answer(Nic& nic, std::uint8_t open, Instant now, network::Packet& out) {
  for (auto left = nic.answering.size(); left > 0; --left) {
    auto& qp = *qps_[nic.answering.front()];
    nic.answering.pop();
    const bool cnp = qp.cnp && (open >> config_.cnp_priority & 1);
    const bool data = qp.responder.sends_data();
    const bool may_go = data && nic.transmit_buffer() > 0 ? !holds_back(nic, qp)
                                                          : open >> (data ? qp.priority : config_.control_priority) & 1;
    const bool answer = qp.responder.can_send() && may_go;
    if (!cnp && !answer) {
      nic.answering.push(qp.number);
      continue;
    }
    qp.answers = false;
    bool sent = true;
    if (cnp) {
      qp.cnp = false;
      Packet packet;
      packet.opcode = congestion_notification;
      packet.becn = true;
      packet.destination_qp = qp.number ^ 1;
      ++nic.counters.cnps;
      send(qp, packet, config_.cnp_priority, out);
    } else {
      const auto packet = qp.responder.next().packet;
      send(qp, packet, data ? qp.priority : config_.control_priority, out);
      sent = !data || nic.transmit_buffer() == 0;
      if (!sent) stage(nic, qp.host, out, packet.length, now);
    }
    if (qp.cnp || qp.responder.can_send()) {
      qp.answers = true;
      nic.answering.push(qp.number);
    } else if (qp.resting) {
      put_away(qp);
    }
    if (sent) return true;
  }
  return false;
}

bool Fleet::next_data(Nic& nic, HostIndex host, std::uint8_t open, Instant now, network::Packet& out) {
  return nic.transmit_buffer() > 0 ? next_staged(nic, host, open, now, out) : pick(nic, host, open, now, out);
}

void Fleet::begin_message(Nic& nic, MessagePacer& of_qp, Instant now) const {
  nic.messages.begin(config_.work.messages, now);
  of_qp.begin(config_.work.qp_messages, now);
}

/// The next packet with data, of the queue pairs in turn whose priorities are open.
bool Fleet::pick(Nic& nic, HostIndex host, std::uint8_t open, Instant now, network::Packet& out) {
  if (datagrams_turn(nic, open) && next_datagram(nic, now, out)) return true;
  if (const auto number = next_turn(nic, open, now)) {
    auto& qp = *qps_[*number];
    if (qp.requester.begins_message()) begin_message(nic, qp.messages, now);
    send(qp, qp.requester.next(now).packet, qp.priority, out);
    feed(qp, now);
    const auto line = network_->port(network_->port_of(host)).rate;
    if (const auto rate = qp.rate.at(now); rate < line) qp.paced = now + net_time(out.bytes, rate);
    sort(qp, now);
    watch(qp);
    return true;
  }
  auto earliest = next_due(nic, open);
  if (!nic.datagrams.empty() && (open >> config_.priority & 1)) {
    if (next_datagram(nic, now, out)) return true;
    earliest = std::min(earliest, next_datagram_at(nic));
  }
  return wake_later(nic, host, earliest);
}

/// Nothing may be sent now, and perhaps then.
bool Fleet::wake_later(Nic& nic, HostIndex host, Instant then) {
  if (then < nic.alarm) {
    nic.alarm = then;
    network_->wake_at(then, host, pace);
  }
  return false;
}

/// What is whole in the NIC is in its host's memory, too.
bool Fleet::at_once(const Nic& nic, Instant now) {
  return nic.dma != nullptr ? nic.holding.empty() : nic.memory.placed(now) <= now;
}

/// A message is whole in the NIC, and with the host's latency, or behind what is being written, in its memory.
void Fleet::take(QueuePair& qp, const Packet& last, Instant now) {
  auto& nic = nics_[qp.host];
  if (qp.placing.empty() && at_once(nic, now)) {
    if (message) message(qp.number, last, now);
    return;
  }
  qp.placing.push(last);
  end_later(nic, qp.host, qp.number, now);
}

void Fleet::end_later(Nic& nic, HostIndex host, QpIndex number, Instant now) {
  if (nic.dma == nullptr) return network_->wake_at(nic.memory.placed(now), number, placed);
  nic.ends.push(number);
  auto& behind = nic.holding.back();
  ++behind.ends;
  if (behind.out != never) network_->wake_at(std::max(now, behind.out), host, written);
}

void Fleet::watch(QueuePair& qp) {
  const auto deadline = qp.requester.deadline();
  if (qp.timed || deadline == never) return;
  qp.timed = true;
  network_->wake_at(deadline, qp.number, retry);
}

void Fleet::finish(QueuePair& qp, Instant now) {
  feed(qp, now);  // of a queue pair in error everything is flushed
  sort(qp, now);
  auto& done = qp.requester.completions();
  while (!done.empty()) {
    const auto completion = done.front();
    const auto posted = qp.posted.front();
    done.pop();
    qp.posted.pop();
    if (completed) completed(qp.number, completion, posted, now);
  }
}

void Fleet::arrived(HostIndex host, const network::Packet& packet, Instant now) {
  auto& nic = nics_[host];
  ++nic.counters.received;
  const auto said = std::bit_cast<Packet>(packet.cargo);
  if (service_of(said.opcode) == Service::unreliable_datagram) return take_datagram(host, packet, said, now);
  auto* known = qps_[said.destination_qp];
  auto& qp = known != nullptr ? *known : make(said.destination_qp, host, packet.source);
  const bool rested = said.destination_qp < resting_.size() && resting_[said.destination_qp] != 0;
  if (known == nullptr && !rested && packet.priority != config_.urgent_priority)
    set_priority(qp.number, packet.priority);
  if (said.opcode == congestion_notification) {
    qp.rate.notify(now);
    return;
  }
  is_held_ = false;
  if (said.length > 0) {
    if (!has_room(nic, packet.bytes, now)) return;
    if (nic.dma == nullptr) is_held_ = fill(nic, host, packet.bytes, now);
    look_up(nic, qp.number, now);
  }
  arriving_ = packet.bytes;
  arriving_at_ = now;
  in_use_ = &qp;
  if (packet.congestion_experienced && config_.dcqcn != DcqcnSet::off &&
      qp.notifier.marked(now, parameters(config_.dcqcn, BitRate{1}).cnp_period))
    qp.cnp = true;
  const auto o = said.operation();
  if (o == Operation::acknowledge || o == Operation::atomic_acknowledge || is_read_response(o)) {
    const auto in = qp.requester.receive(said, now);
    if (in) place(host, qp.number, in->length);
    finish(qp, now);
  } else {
    qp.responder.receive(said, now);
  }
  activate(qp, now);
  in_use_ = nullptr;
  if (qp.resting) put_away(qp);
}

void Fleet::woken(std::uint32_t subject, std::uint64_t detail, Instant now) {
  switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
    case pace:
      nics_[subject].alarm = never;
      return network_->ready(subject, now);
    case retry: {
      if (qps_[subject] == nullptr) return;  // at rest
      auto& qp = *qps_[subject];
      in_use_ = &qp;
      qp.timed = false;
      qp.requester.expire(now);
      finish(qp, now);
      watch(qp);
      activate(qp, now);
      in_use_ = nullptr;
      return;
    }
    case drained:
      let_out(nics_[subject], now);
      return resume(nics_[subject], subject, now);
    case placed:
      return end_of_message(subject, now);
    case app:
      if (alarm) alarm(detail >> alarm_bits, now);
      return;
    case tick:
      return advance(nics_[subject], subject, now);
    case written:
      return end_messages(nics_[subject], now);
    case datagram_left:
      if (datagram_sent) datagram_sent(subject, now);
      return;
  }
}

}  // namespace peerpath::roce
