// Options of host memory.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

/// What all devices together reach, by how many of them are at work: beside the limits of each one's link.
struct SharedConfig {
  std::vector<BitRate> read_rates{}, write_rates{}, both_rates{}, opposite_rates{}, beside_writes{};
  Bytes cached{};
  std::optional<Bytes> cached_together{};
  BitRate read_limit{};
  double read_sharpness = 3;
  Duration read_round_trip{};
  Bytes recent{};

  static constexpr auto fields() {
    return std::tuple{
        field("read_rates", &SharedConfig::read_rates,
              "Aggregate read bandwidth with 1, 2, 3, ... active readers; the last value applies to more. Absent: "
              "unlimited"),
        field("write_rates", &SharedConfig::write_rates,
              "Aggregate write bandwidth with 1, 2, 3, ... active writers; the last value applies to more. Absent: "
              "unlimited"),
        field("both_rates", &SharedConfig::both_rates,
              "Aggregate bandwidth with 1, 2, 3, ... devices that read and write in equal parts; one reader and one "
              "writer count as one such device. Absent: unlimited"),
        field("opposite_rates", &SharedConfig::opposite_rates,
              "Aggregate bandwidth with 1, 2, 3, ... pairs of one reader and one writer, if no device does both. "
              "Absent: both_rates"),
        field("beside_writes", &SharedConfig::beside_writes,
              "Aggregate bandwidth with 1, 2, 3, ... devices whose reads miss every cache and that write as much; "
              "fewer writes raise it. Absent: unlimited"),
        field("cached", &SharedConfig::cached,
              "Part of each buffer, from its start, that a cache holds and beside_writes does not limit")
            .at_least(Bytes{0}),
        field("cached_together", &SharedConfig::cached_together,
              "Total size of all buffers up to which a cache holds them whole and no shared limit applies; absent: "
              "`cached` applies")
            .at_least(Bytes{0}),
        field("read_limit", &SharedConfig::read_limit,
              "Read bandwidth that two or more readers approach; each read waits longer as the load comes closer. "
              "0bps: reads do not wait")
            .at_least(BitRate{}),
        field("read_sharpness", &SharedConfig::read_sharpness,
              "Sharpness s of that limit: at load u = rate / read_limit a read waits read_round_trip * ((1 - "
              "u^s)^(-1/s) - 1)")
            .at_least(0.5)
            .at_most(64)
            .from("assumed"),
        field("read_round_trip", &SharedConfig::read_round_trip,
              "Round trip of a read with busy links; factor of the wait at read_limit. 0s: reads do not wait")
            .at_most(longest_wait),
        field("recent", &SharedConfig::recent,
              "Size of the cache that serves reads of recently written data outside all limits; the share e^(-w / "
              "recent) is left after w further bytes of writes. 0B: none")
            .at_least(Bytes{0})};
  }
};

/// DRAM of the host behind the root complex named by `at`.
struct HostMemoryConfig {
  std::string at{};
  Bytes size = 64_GiB;
  BitRate write_rate = BitRate{1'600'000'000'000};
  BitRate read_rate = BitRate{1'600'000'000'000};
  Duration read_latency = 90ns;
  std::optional<CacheConfig> cache{};
  std::optional<Duration> remote_hop{};
  std::optional<ChannelsConfig> channels{};
  std::optional<Bytes> completion_step{};
  Duration read_interval{};
  Duration partial_write_interval{};
  std::optional<SharedConfig> shared{};

  static constexpr auto fields() {
    return std::tuple{
        field("at", &HostMemoryConfig::at, "Root complex that it belongs to"),
        field("size", &HostMemoryConfig::size, "Capacity"),
        field("write_rate", &HostMemoryConfig::write_rate, "Sustained write bandwidth")
            .at_least(least_rate)
            .from("assumed: 8 channels DDR5-4800 at 65 %"),
        field("read_rate", &HostMemoryConfig::read_rate, "Sustained read bandwidth")
            .at_least(least_rate)
            .from("assumed: as write_rate"),
        field("read_latency", &HostMemoryConfig::read_latency, "Latency from request to first data")
            .at_most(longest_wait)
            .from("assumed"),
        field("cache", &HostMemoryConfig::cache,
              "Last-level cache in front of the memory; absent: every access takes read_latency"),
        field("remote_hop", &HostMemoryConfig::remote_hop,
              "Extra read latency of memory on another socket, unless the near socket's cache holds the line; absent: "
              "local memory"),
        field(
            "channels", &HostMemoryConfig::channels,
            "Memory channels that serve accesses missing the cache; absent: only read_rate and write_rate limit them"),
        field("completion_step", &HostMemoryConfig::completion_step,
              "Address granularity at which read completions are split: the Read Completion Boundary or more; absent: "
              "MPS")
            .at_least(64_B)
            .at_most(4096_B),
        field("read_interval", &HostMemoryConfig::read_interval,
              "Shortest interval between two read requests of one device")
            .at_most(longest_wait),
        field("partial_write_interval", &HostMemoryConfig::partial_write_interval,
              "Shortest interval between two writes of less than 64 B")
            .at_most(longest_wait),
        field("shared", &HostMemoryConfig::shared,
              "Limits of several devices together; absent: only read_rate and write_rate apply")};
  }
};

}  // namespace peerpath::device
