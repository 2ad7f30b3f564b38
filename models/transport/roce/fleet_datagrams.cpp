// Datagrams of a fleet: they take turns with other data, packet by packet, and nothing slows them down.
#include <bit>

#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"
#include "transport/roce/fleet.hpp"
#include "transport/roce/flow_hash.hpp"
#include "transport/roce/frame.hpp"

namespace peerpath::roce {

void Fleet::open_datagrams(QpIndex number, HostIndex at, std::uint32_t key, const ReceiveRequests& receives) {
  datagrams_.try_emplace(number, number, at, key, receives);
}

void Fleet::post_datagram(QpIndex number, const AddressHandle& to, std::uint32_t length, Instant now) {
  require(length <= config_.connection.mtu, "a datagram is one packet");
  auto& qp = datagrams_.at(number);
  qp.post({to, length, now});
  if (qp.waits_in_turn) return;
  qp.waits_in_turn = true;
  auto& nic = nics_[qp.host()];
  nic.datagrams.push(number);
  if (nic.transmit_buffer() > 0) stage(nic, qp.host(), now);
  network_->ready(qp.host(), now);
}

/// Every second packet, while there is other data to send.
bool Fleet::datagrams_turn(Nic& nic, std::uint8_t open) const {
  if (nic.datagrams.empty() || !(open >> config_.priority & 1)) return false;
  nic.datagram_last = !nic.datagram_last;
  return nic.datagram_last || nic.sending.empty();
}

/// When the first datagram may go.
Instant Fleet::next_datagram_at(const Nic& nic) const {
  auto first = never;
  for (std::size_t i = 0; i < nic.datagrams.size(); ++i)
    first = std::min(first, datagrams_.at(nic.datagrams[i]).next_at(config_.work.fetch));
  return std::max(first, nic.messages.next());
}

/// Of the queue pairs in turn whose rate lets them; false: none is yet. Not marked by switches: nothing reacts to that.
bool Fleet::next_datagram(Nic& nic, Instant now, network::Packet& out) {
  auto left = nic.datagrams.size();
  for (; left > 0 && datagrams_.at(nic.datagrams.front()).next_at(config_.work.fetch) > now; --left) {
    const auto waits = nic.datagrams.front();
    nic.datagrams.pop();
    nic.datagrams.push(waits);
  }
  if (left == 0 || nic.messages.next() > now) return false;
  auto& qp = datagrams_.at(nic.datagrams.front());
  begin_message(nic, qp.messages, now);
  nic.datagrams.pop();
  const auto sent = qp.next();
  qp.waits_in_turn = qp.can_send();
  if (qp.waits_in_turn) nic.datagrams.push(qp.number());
  out.source = qp.host();
  out.destination = sent.to.host;
  out.flow_hash = flow_hash(qp.host(), sent.to.host, qp.number(), config_.port_by_qp);
  out.destination_qp = sent.to.qp;
  out.bytes = static_cast<std::int32_t>(frame_size(sent.packet));
  out.priority = static_cast<std::uint8_t>(config_.priority);
  out.ecn_capable = false;
  out.cargo = std::bit_cast<decltype(out.cargo)>(sent.packet);
  ++nic.counters.sent;
  if (nic.transmit_buffer() == 0) leaves(qp.host(), out, now);
  return true;
}

/// A datagram is over when it has left. Its immediate data say whose it is.
void Fleet::leaves(HostIndex host, const network::Packet& packet, Instant now) {
  const auto said = std::bit_cast<Packet>(packet.cargo);
  if (service_of(said.opcode) != Service::unreliable_datagram) return;
  const auto line = network_->port(network_->port_of(host)).rate;
  network_->wake_at(now + net::wire_size(Bytes{packet.bytes}) / line, said.immediate, datagram_left);
}

void Fleet::take_datagram(HostIndex host, const network::Packet& packet, const Packet& said, Instant now) {
  auto& nic = nics_[host];
  const auto found = datagrams_.find(said.destination_qp);
  const bool taken = found != datagrams_.end() && found->second.take(said, now);
  if (!taken) ++nic.counters.not_received;
  if (taken && !has_room(nic, packet.bytes, now)) return;
  is_held_ = taken && nic.dma == nullptr && fill(nic, host, packet.bytes, now);
  arriving_ = packet.bytes;
  arriving_at_ = now;
  if (taken) place(host, said.destination_qp, said.length);
  if (taken && !(found->second.placing.empty() && at_once(nic, now))) {
    found->second.placing.push(said);
    return end_later(nic, host, said.destination_qp, now);
  }
  if (datagram) datagram(said, taken, now);
}

/// What a queue pair has received first of what was on its way to memory is there.
void Fleet::end_of_message(QpIndex number, Instant now) {
  auto* qp = qps_[number];
  auto& placing = qp != nullptr ? qp->placing : datagrams_.at(number).placing;
  const auto last = placing.front();
  placing.pop();
  if (qp != nullptr && message) message(number, last, now);
  if (qp == nullptr && datagram) datagram(last, true, now);
}

}  // namespace peerpath::roce
