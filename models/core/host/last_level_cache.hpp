// The last-level cache as devices see it: which of their lines it holds. The model card is README.md beside this.
#pragma once

#include "core/host/associative_cache.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::host {

inline constexpr std::uint64_t line_bytes = 64;

/// Reading a line that the cache holds. Assumed: 34 to 50 core cycles at 2.2 to 2.6 GHz (Intel 64 and IA-32
/// Architectures Optimization Reference Manual).
inline constexpr Duration line_access = std::chrono::nanoseconds{15};

/// Lines, since the start.
struct CacheCounters {
  std::int64_t read_hits = 0, read_misses = 0;
  std::int64_t write_hits = 0, write_misses = 0;
};

class LastLevelCache {
 public:
  explicit LastLevelCache(const device::CacheConfig& config);

  /// What an access by a device takes longer than one that hits. A read that misses is served by DRAM and leaves the
  /// cache as it is; a write that misses puts its line into one of the ways that devices may fill.
  Duration read(std::uint64_t address, Bytes size);
  /// A write of parts of lines is merged into them: `line_access` if they are held, else all of DRAM's latency (that
  /// and the miss) before.
  struct Write {
    bool missed = false;
    Duration takes{};
  };
  Write write(std::uint64_t address, Bytes size);
  /// A core writes (or reads) the range once, in order: its lines go into any way.
  void touch_by_core(std::uint64_t address, Bytes size);
  /// A device writes the range once, in order, without being counted.
  void fill_by_device(std::uint64_t address, Bytes size);

  const CacheCounters& counters() const { return counters_; }

 private:
  device::CacheConfig config_;
  AssociativeCache cache_;
  CacheCounters counters_;
};

}  // namespace peerpath::host
