// What the drivers of one host share.
#pragma once

#include "devices/host_cpu/config.hpp"
#include "devices/host_cpu/copy_request.hpp"
#include "devices/host_cpu/core.hpp"
#include "devices/host_cpu/setup.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::host_cpu {

/// The host's own channel: MMIO writes of all cores, in order.
inline constexpr fabric::ChannelIndex mmio_channel{1};
inline constexpr int host_channels = 1;

/// Work and traffic of the cores.
struct CpuCounters {
  std::int64_t interrupts = 0, polls = 0, doorbells = 0;
  std::int64_t rx_packets = 0, rx_errors = 0, tx_packets = 0;
  std::int64_t copies = 0;  ///< requests to copy engines
  Bytes rx_payload{};
  Bytes copied{};                     ///< by the CPU, buffer to buffer in DRAM
  Bytes dram_read{}, dram_written{};  ///< by the CPU: its copies, which go through DRAM both ways
};

struct DriverContext {
  device::HostCpuConfig config;
  CopyRequests& copies;
  CpuCounters counters{};
};

/// A doorbell: a posted write whose value travels as the cookie.
inline void ring(DriverContext& host, nic::MemoryPlace place, std::uint64_t value, Bytes size, Instant when,
                 device::Outbox& out) {
  fabric::Transaction t;
  t.cookie = value;
  t.target = place.node;
  t.purpose = pcie::Purpose::doorbell;
  t.notify_target = true;
  t.address = place.address.value();
  t.bytes = size;
  t.ready = when;
  out.submit(mmio_channel, t);
  ++host.counters.doorbells;
}

}  // namespace peerpath::host_cpu
