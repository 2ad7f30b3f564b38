// DMA by pattern: a device writes to or reads from another one, at a rate or as fast as it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "devices/gpu/bar1.hpp"
#include "peerpath/device/endpoint.hpp"
#include "transport/traffic/arrival_process.hpp"

namespace peerpath::transport {

/// What a DMA source does.
struct DmaPattern {
  std::uint16_t stream = 0;                            ///< in the cookies of its transactions (frame_handle)
  pcie::Operation op = pcie::Operation::memory_write;  ///< or memory_read
  fabric::NodeId target{};
  std::uint8_t traffic_class = 0;
  std::uint64_t address = 0;  ///< start of the window
  Bytes window{64 << 20};
  int flows = 1;                          ///< parts of the window, each with its own next address; taken in turn
  bool random = false;                    ///< places in random order, in whole lines; not with `pieces`
  std::vector<Bytes> sizes{Bytes{4096}};  ///< of the transfers, taken in turn
  BitRate rate{};                         ///< of payload offered; 0: as fast as it goes
  Arrival arrival = Arrival::regular;
  int burst = 32;
  int outstanding = 64;  ///< transfers in flight; a write is so until it has arrived
  /// What a transfer takes beyond its completion or arrival, inside the device: it is over only then.
  Duration reaction{};
  Duration queueing{};  ///< added to that by each transfer in flight
  Instant start{};
  std::int64_t count = 0;  ///< transfers; 0: without end
  /// Through which the target is reached, if it does not show all of the window; `address` is that of place 0 in it.
  /// No transfer reaches over the end of a piece; a flow's part of the window has to have room for two of any size.
  gpu::Bar1Pieces* pieces = nullptr;
};

/// What became of the transfers.
struct DmaCounters {
  std::int64_t issued = 0, done = 0, failed = 0;
  Bytes bytes{};       ///< of those done
  Duration latency{};  ///< sum: offered to done
  Instant last{};      ///< when the last one was done
};

/// A requester that does nothing else, on one channel of the node it shares with a device. Needs a place that
/// `hears_arrivals`. A transfer that finds no room for another one in flight waits, and its latency counts from the
/// moment at which it was offered; at rate 0 from that at which there was room. So does one that waits for its memory
/// to be mapped.
class DmaSource final : public device::Endpoint {
 public:
  DmaSource(DmaPattern pattern, Random random);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}

  /// Is told of each transfer that is done: when it was offered, when it is over, and its delivery.
  void watch(std::function<void(Instant offered, Instant over, const fabric::Delivery&)> watcher) {
    watcher_ = std::move(watcher);
  }
  const DmaCounters& counters() const { return counters_; }
  /// Transfers that were offered by now, and are not over; and how many they are at most, 0 where that depends on more
  /// than their number.
  std::int64_t in_flight(Instant now) const;
  std::int64_t most_in_flight() const { return pattern_.pieces == nullptr ? pattern_.outstanding : 0; }
  Duration reaction() const { return pattern_.reaction; }

 private:
  struct Transfer {
    Instant offered{};
    Bytes at{};  ///< in the window
  };
  void fill(Instant now, device::Outbox& out);
  Bytes part() const { return Bytes{pattern_.window.count() / pattern_.flows}; }
  Bytes next_place(std::size_t flow, Bytes size);

  DmaPattern pattern_;
  ArrivalProcess arrivals_;
  Random places_;
  std::vector<Bytes> next_;                      ///< by flow: place in its part of the window
  std::map<std::uint64_t, Transfer> transfers_;  ///< in flight, by cookie
  DmaCounters counters_;
  std::function<void(Instant, Instant, const fabric::Delivery&)> watcher_;
};

}  // namespace peerpath::transport
