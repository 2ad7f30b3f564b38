// What a device is to its shell: told the time, it reacts to deliveries, frames and its own timers by filling an
// outbox. The same object runs behind a SystemC module, a QEMU device, and a plain loop in tests.
#pragma once

#include <cstdint>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::device {

/// A device's own name for one of its timers; each has at most one pending time.
using TimerId = Id<struct TimerTag>;

/// A frame on an Ethernet port: the headers as bytes (enough to parse), the payload by length and handle.
struct Frame {
  static constexpr std::size_t header_capacity = 128;
  std::uint64_t handle = 0;       ///< names the payload to whoever holds its bytes
  std::uint16_t header_size = 0;  ///< bytes valid in `header`: Ethernet up to and including TCP or UDP
  std::uint8_t header[header_capacity]{};
  Bytes size{};  ///< on the wire without preamble, gap and FCS
};

/// What a device may ask of its shell. Times may lie in the future, never before the `now` of the call.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) = 0;
  virtual void respond(fabric::RequestId request, Instant ready, pcie::Status status) = 0;
  /// Replaces the pending time of the timer; `never` cancels it.
  virtual void wake_at(TimerId timer, Instant when) = 0;
  /// First bit of the frame leaves the port at `when`.
  virtual void transmit(int port, const Frame& frame, Instant when) = 0;
};

/// A device of the model.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// Once, at time 0, before anything else.
  virtual void start(Outbox&) {}
  /// At `delivery.done`, for deliveries with notify that concern it (as target or as requester).
  virtual void on_delivery(const fabric::Delivery& delivery, Outbox& out) = 0;
  /// A posted transaction of its own will arrive (or has arrived) at `delivery.done`, or, of kind `sent`, has left by
  /// then: told as soon as the fabric has computed it, at no cost to how far the fabric may compute; an arrival with or
  /// without notice, a departure without. The device may only note it,
  /// and what it does later at t may depend on it only if done < t: so results do not depend on when it was told.
  virtual void on_computed(const fabric::Delivery& /*delivery*/) {}
  virtual void on_wake(TimerId timer, Instant now, Outbox& out) = 0;
  /// The last bit of a frame has arrived at an Ethernet port.
  virtual void on_frame(int /*port*/, const Frame& /*frame*/, Instant /*now*/, Outbox& /*out*/) {}
};

}  // namespace peerpath::device
