// What a scenario can set on host memory.
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
              "What 1, 2, 3 ... devices that read reach together, the last for any more; none: no limit"),
        field("write_rates", &SharedConfig::write_rates, "The same of devices that write"),
        field(
            "both_rates", &SharedConfig::both_rates,
            "The same of devices that do both, half of it each way; with less of one, more of the other. One that only "
            "reads and one that only writes are one that does both"),
        field("opposite_rates", &SharedConfig::opposite_rates,
              "The same of 1, 2, 3 ... pairs, one device only reading and one only writing, where no device does both; "
              "none: both_rates"),
        field(
            "beside_writes", &SharedConfig::beside_writes,
            "What 1, 2, 3 ... devices that read and write reach together when they read what no cache holds and write "
            "as much; with fewer writes, more; the last for any more; none: no such limit"),
        field("cached", &SharedConfig::cached,
              "So much of each buffer, from its start, a cache holds: beside_writes is about the rest")
            .at_least(Bytes{0}),
        field("cached_together", &SharedConfig::cached_together,
              "Buffers of that size or less, all of them together, a cache holds whole: no limit here is about them; "
              "absent: cached")
            .at_least(Bytes{0}),
        field("read_limit", &SharedConfig::read_limit,
              "What two and more devices that read would reach with any number of reads under way; the nearer they "
              "are, the longer each read waits; 0bps: none waits")
            .at_least(BitRate{}),
        field(
            "read_sharpness", &SharedConfig::read_sharpness,
            "How suddenly that sets in: at a share u of read_limit a read waits read_round_trip times (1 - u^s)^(-1/s) "
            "less one")
            .at_least(0.5)
            .at_most(64)
            .from("assumed"),
        field("read_round_trip", &SharedConfig::read_round_trip,
              "Of a read when the devices keep their links busy, which that wait is a multiple of; 0s: none waits")
            .at_most(longest_wait),
        field("recent", &SharedConfig::recent,
              "What devices have just written is read from a cache of that size and counts for no limit: the share "
              "e^(-w / recent) of it after w further bytes were written; 0B: nothing")
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
