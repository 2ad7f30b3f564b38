// What a scenario can set on host memory.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

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

  static constexpr auto fields() {
    return std::tuple{
        field("at", &HostMemoryConfig::at, "The root complex that it belongs to"),
        field("size", &HostMemoryConfig::size, "Capacity"),
        field("write_rate", &HostMemoryConfig::write_rate, "Sustained write bandwidth")
            .at_least(least_rate)
            .from("assumed: 8 channels DDR5-4800 at 65 %"),
        field("read_rate", &HostMemoryConfig::read_rate, "Sustained read bandwidth")
            .at_least(least_rate)
            .from("assumed: as write_rate"),
        field("read_latency", &HostMemoryConfig::read_latency, "Request to first data")
            .at_most(longest_wait)
            .from("assumed"),
        field("cache", &HostMemoryConfig::cache, "Last-level cache before it; absent: every access takes read_latency"),
        field("remote_hop", &HostMemoryConfig::remote_hop,
              "The memory is that of another socket: what its reads take longer, unless the near socket's cache holds "
              "the line"),
        field("channels", &HostMemoryConfig::channels,
              "Channels that accesses take which the cache does not hold; absent: read_rate and write_rate alone")};
  }
};

}  // namespace peerpath::device
