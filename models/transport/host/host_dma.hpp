// The memory of a host as its NIC sees it, through PCIe.
#pragma once

#include "peerpath/base/ring.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::transport {

/// Takes writes to and reads from the host's memory, and says when they were over. It has a time of its own, which runs
/// ahead of the network's by `latency`: what is asked for at t starts at t + latency at the earliest, so whatever
/// happens before that is known at t.
class HostDma {
 public:
  virtual ~HostDma() = default;
  /// From asking to the first TLP. Zero: the end of a write or read is known at once.
  virtual Duration latency() const = 0;
  /// What the NIC holds of data that it reads, or has read and not sent.
  virtual Bytes transmit_buffer() const = 0;
  virtual void write(Bytes size, Instant now) = 0;
  virtual void read(Bytes size, Instant now) = 0;
  /// Computes all that starts before `until`.
  virtual void advance(Instant until) = 0;

  /// When writes and reads were over, in the order in which they were asked for. Who takes note of one pops it.
  Ring<Instant> written{}, fetched{};
};

}  // namespace peerpath::transport
