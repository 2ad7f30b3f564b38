#include "transport/roce/datagram.hpp"

#include <algorithm>

namespace peerpath::roce {

DatagramQueuePair::Outgoing DatagramQueuePair::next() {
  const auto send = sends_.front();
  sends_.pop();
  Outgoing out;
  out.to = send.to;
  auto& p = out.packet;
  p.opcode = opcode(Service::unreliable_datagram, Operation::send_only);
  p.destination_qp = send.to.qp;
  p.psn = psn_++ & psn_mask;
  p.length = send.length;
  p.key = send.to.key;
  p.immediate = number_;  // of a datagram: the source queue pair
  p.compare = static_cast<std::uint64_t>(send.posted.time_since_epoch().count());
  return out;
}

bool DatagramQueuePair::take(const Packet& packet, Instant now) {
  if (packet.key != key_) return false;
  if (receives_.count == ReceiveRequests::unlimited) return true;
  while (!taken_.empty() && taken_.front() <= now) taken_.pop();
  if (taken_.size() >= static_cast<std::size_t>(receives_.count)) return false;
  taken_.push((taken_.empty() ? now : std::max(now, taken_.back())) + receives_.each);
  return true;
}

}  // namespace peerpath::roce
