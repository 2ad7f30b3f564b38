// What the parts of a NIC share.
#pragma once

#include <algorithm>

#include "core/host/booked_time.hpp"
#include "devices/nic/config.hpp"
#include "devices/nic/cookie.hpp"
#include "devices/nic/counters.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/rx_fifo.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::nic {

/// The NIC's own channels of its fabric endpoint. Data and completions share one, so data is ahead of its completion.
/// An interrupt is submitted when its completion has left, so it follows that one, but does not wait for frames that
/// came later.
inline constexpr fabric::ChannelIndex write_channel{1};
inline constexpr fabric::ChannelIndex descriptor_channel{2};
inline constexpr fabric::ChannelIndex data_read_channel{3};
inline constexpr fabric::ChannelIndex interrupt_channel{4};
inline constexpr int nic_channels = 4;

/// Timers: four a queue, one of the transmit buffer, and one of coalescing.
enum class Timer : std::uint8_t { rx_writeback, rx_interrupt, tx_writeback, tx_interrupt };
constexpr device::TimerId timer_of(QueueIndex queue, Timer timer) {
  return device::TimerId{static_cast<std::uint16_t>(queue.value() * 4 + static_cast<unsigned>(timer))};
}
inline constexpr device::TimerId tx_space_timer{0xffff}, coalesce_timer{0xfffe};

/// What processes the packets of one direction, one after the other at a rate.
class PacketPipeline {
 public:
  /// 0 packets per second: no limit.
  explicit PacketPipeline(int rate) : each_{rate == 0 ? Duration{0} : Duration{std::chrono::seconds{1}} / rate} {}

  /// A packet is there at `now`; returns when its turn comes.
  Instant take(Instant now) {
    const Instant begin = std::max(free_, now);
    free_ = begin + each_;
    if (limited()) {
      busy_.forget(now - host::longest_way);
      busy_.book(begin, free_);
    }
    return begin;
  }
  bool limited() const { return each_ > Duration{0}; }
  /// For how long it has been at work, from the start until `now`: packets whose turn has not come are not in it.
  Duration busy(Instant now) const { return busy_.until(now); }

 private:
  Duration each_;
  Instant free_{};
  host::BookedTime busy_;
};

struct Context {
  const device::NicConfig config;
  QueueMemory& memory;
  RxFifo fifo{config.rx_fifo};
  PacketPipeline receiving{config.packet_rate}, sending{config.packet_rate};
  NicCounters counters{};
};

inline RxShape rx_shape(const Context& nic, const QueueRings& rings) {
  if (rings.rx_shape) return *rings.rx_shape;
  return {nic.config.buffer_size, nic.config.header_split ? nic.config.header_buffer_size : Bytes{0}};
}

/// A posted write of the NIC.
inline fabric::Transaction write_to(MemoryPlace place, Bytes bytes, pcie::Purpose purpose, Cookie cookie,
                                    Instant ready) {
  fabric::Transaction t;
  t.cookie = cookie.pack();
  t.target = place.node;
  t.purpose = purpose;
  t.address = place.address.value();
  t.bytes = bytes;
  t.ready = ready;
  return t;
}

/// A read of the NIC, which it waits for.
inline fabric::Transaction read_from(MemoryPlace place, Bytes bytes, pcie::Purpose purpose, Cookie cookie,
                                     Instant ready) {
  auto t = write_to(place, bytes, purpose, cookie, ready);
  t.op = pcie::Operation::memory_read;
  t.notify_requester = true;
  return t;
}

}  // namespace peerpath::nic
