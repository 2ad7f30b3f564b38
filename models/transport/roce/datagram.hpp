// Unreliable datagrams (InfiniBand Architecture Specification 1, sections 9.6.3 and 9.8.3).
#pragma once

#include <cstdint>

#include "network/graph.hpp"
#include "peerpath/base/ring.hpp"
#include "peerpath/base/units.hpp"
#include "transport/roce/packet.hpp"
#include "transport/roce/work_rate.hpp"

namespace peerpath::roce {

/// Where a datagram goes, and the key (Q_Key) that opens the queue pair there. Each send has one.
struct AddressHandle {
  network::HostIndex host = 0;
  std::uint32_t qp = 0;
  std::uint32_t key = 0;
};

/// Receive requests of a queue pair. Software takes what has arrived, one after the other, and posts each again `each`
/// later.
struct ReceiveRequests {
  static constexpr int unlimited = -1;
  int count = unlimited;
  Duration each{};
};

/// A queue pair of the service UD: a message is one packet, goes wherever its address handle says, and is over when it
/// has left. Nobody acknowledges it. One that finds no receive request, or has another key, is lost.
class DatagramQueuePair {
 public:
  DatagramQueuePair(std::uint32_t number, network::HostIndex host, std::uint32_t key, const ReceiveRequests& receives)
      : number_{number}, host_{host}, key_{key}, receives_{receives} {}

  struct Send {
    AddressHandle to{};
    std::uint32_t length = 0;  ///< at most the path MTU
    Instant posted{};
  };
  void post(const Send& send) { sends_.push(send); }
  bool can_send() const { return !sends_.empty(); }
  /// The next packet and where it goes. Its `compare` says when it was posted, which no header has.
  struct Outgoing {
    AddressHandle to{};
    Packet packet{};
  };
  Outgoing next();

  /// A datagram has come in. Whether it is received.
  bool take(const Packet& packet, Instant now);

  std::uint32_t number() const { return number_; }
  network::HostIndex host() const { return host_; }
  /// When the NIC has read its next request, and its rate lets it go.
  Instant next_at(Duration fetch) const { return std::max(messages.next(), sends_.front().posted + fetch); }
  MessagePacer messages{};
  bool waits_in_turn = false;  ///< stands in the list of its NIC
  Ring<Packet> placing{};      ///< received, and on their way from the NIC to memory

 private:
  std::uint32_t number_;
  network::HostIndex host_;
  std::uint32_t key_;
  ReceiveRequests receives_;
  std::uint32_t psn_ = 0;
  Ring<Send> sends_{};
  Ring<Instant> taken_{};  ///< receive requests in use: when software posts them again
};

}  // namespace peerpath::roce
