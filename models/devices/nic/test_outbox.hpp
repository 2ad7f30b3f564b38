// An outbox that remembers what a device asked for, for tests.
#pragma once

#include <map>
#include <vector>

#include "peerpath/device/endpoint.hpp"

namespace peerpath::nic {

class TestOutbox final : public device::Outbox {
 public:
  struct Sent {
    device::Frame frame;
    Instant when{};
  };

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& t) override {
    transactions.push_back(t);
    channels.push_back(channel);
  }
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  void wake_at(device::TimerId timer, Instant when) override { timers[timer] = when; }
  void transmit(int, const device::Frame& frame, Instant when) override { frames.push_back({frame, when}); }

  std::vector<fabric::Transaction> take() {
    channels.clear();
    return std::exchange(transactions, {});
  }

  std::vector<fabric::Transaction> transactions;
  std::vector<fabric::ChannelIndex> channels;
  std::map<device::TimerId, Instant> timers;
  std::vector<Sent> frames;
};

inline Instant at_ns(std::int64_t ns) { return Instant{std::chrono::nanoseconds{ns}}; }

/// What the fabric says when a transaction is through.
inline fabric::Delivery delivery_of(const fabric::Transaction& t, Instant done,
                                    pcie::Status status = pcie::Status::success) {
  fabric::Delivery d;
  d.kind = pcie::request_class(t.op) == pcie::TlpClass::posted ? fabric::DeliveryKind::arrived
                                                               : fabric::DeliveryKind::completed;
  d.op = t.op;
  d.purpose = t.purpose;
  d.status = status;
  d.target = t.target;
  d.cookie = t.cookie;
  d.address = t.address;
  d.bytes = t.bytes;
  d.ready = t.ready;
  d.done = done;
  return d;
}

}  // namespace peerpath::nic
