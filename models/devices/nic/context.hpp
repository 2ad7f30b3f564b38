// What the parts of a NIC share.
#pragma once

#include "devices/nic/config.hpp"
#include "devices/nic/cookie.hpp"
#include "devices/nic/counters.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/rx_fifo.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::nic {

/// The NIC's own channels of its fabric endpoint. All writes share one: a function's posted requests keep their order
/// on the link in any case, and so data is ahead of its completion, and the completion ahead of the interrupt.
inline constexpr fabric::ChannelIndex write_channel{1};
inline constexpr fabric::ChannelIndex descriptor_channel{2};
inline constexpr fabric::ChannelIndex data_read_channel{3};
inline constexpr int nic_channels = 3;

/// Timers: four a queue, one of the transmit buffer, and one of coalescing.
enum class Timer : std::uint8_t { rx_writeback, rx_interrupt, tx_writeback, tx_interrupt };
constexpr device::TimerId timer_of(QueueIndex queue, Timer timer) {
  return device::TimerId{static_cast<std::uint16_t>(queue.value() * 4 + static_cast<unsigned>(timer))};
}
inline constexpr device::TimerId tx_space_timer{0xffff}, coalesce_timer{0xfffe};

struct Context {
  const device::NicConfig config;
  QueueMemory& memory;
  RxFifo fifo{config.rx_fifo};
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
