#include "core/host/last_level_cache.hpp"

#include <algorithm>

namespace peerpath::host {
namespace {

/// Calls `use` with each line of an access.
template <class Use>
void for_each_line(std::uint64_t address, Bytes size, Use use) {
  if (size <= Bytes{0}) return;
  const auto last = (address + static_cast<std::uint64_t>(size.count()) - 1) / line_bytes;
  for (auto line = address / line_bytes; line <= last; ++line) use(line);
}

std::size_t sets_of(const device::CacheConfig& config) {
  const auto lines = static_cast<std::uint64_t>(config.size.count()) / line_bytes;
  return static_cast<std::size_t>(std::max<std::uint64_t>(1, lines / static_cast<std::uint64_t>(config.ways)));
}

}  // namespace

LastLevelCache::LastLevelCache(const device::CacheConfig& config)
    : config_{config}, cache_{sets_of(config), static_cast<std::size_t>(config.ways), device::Replacement::lru} {}

Duration LastLevelCache::read(std::uint64_t address, Bytes size) {
  bool missed = false;
  for_each_line(address, size, [&](std::uint64_t line) {
    const bool hit = cache_.find(line).has_value();
    ++(hit ? counters_.read_hits : counters_.read_misses);
    missed = missed || !hit;
  });
  return missed ? config_.miss_latency : Duration{0};  // the lines of one request are fetched side by side
}

LastLevelCache::Write LastLevelCache::write(std::uint64_t address, Bytes size) {
  bool missed = false;
  for_each_line(address, size, [&](std::uint64_t line) {
    const bool hit = cache_.find(line).has_value();
    ++(hit ? counters_.write_hits : counters_.write_misses);
    missed = missed || !hit;
    if (!hit && config_.ddio_ways > 0) cache_.insert(line, static_cast<std::size_t>(config_.ddio_ways));
  });
  const bool whole = address % line_bytes == 0 && static_cast<std::uint64_t>(size.count()) % line_bytes == 0;
  auto takes = missed ? config_.miss_latency : Duration{0};
  if (!whole) takes += line_access + (missed ? line_access : Duration{0});
  return {missed, takes};
}

void LastLevelCache::touch_by_core(std::uint64_t address, Bytes size) {
  for_each_line(address, size, [&](std::uint64_t line) {
    if (!cache_.find(line)) cache_.insert(line);
  });
}

void LastLevelCache::fill_by_device(std::uint64_t address, Bytes size) {
  const auto counted = counters_;
  write(address, size);
  counters_ = counted;
}

}  // namespace peerpath::host
