#include "core/host/iommu.hpp"

#include <algorithm>
#include <functional>

namespace peerpath::host {
namespace {

constexpr std::uint64_t entry_bytes = 8;  // of a page's translation in the table (VT-d, 9.8)

AssociativeCache cache_of(const device::IommuConfig& config, std::size_t times = 1) {
  const auto entries = static_cast<std::size_t>(config.entries) * times;
  const auto ways = config.ways == 0 ? entries : std::min(static_cast<std::size_t>(config.ways), entries);
  return {std::max<std::size_t>(1, entries / ways), ways, config.replacement};
}

}  // namespace

Iommu::Iommu(const device::IommuConfig& config)
    : config_{config},
      cache_{cache_of(config)},
      missed_{cache_of(config, 2)},
      ready_(cache_.slots()),
      walkers_free_(static_cast<std::size_t>(config.walkers)) {}

Instant Iommu::translate(std::uint64_t address, Instant at) {
  if (config_.flush_interval > Duration{0}) {
    const auto over = at.time_since_epoch() / config_.flush_interval;
    if (over > flushed_) {
      flushed_ = over;
      invalidate_all();
    }
  }
  const auto key = page(address);
  Instant translated = at;
  if (const auto slot = cache_.find(key)) {
    ++counters_.hits;
    translated = std::max(at, ready_[*slot]);
  } else {
    translated = walk(key, at);
  }
  translated += config_.hit_latency;
  counters_.waiting += translated - at;
  return translated;
}

Instant Iommu::walk(std::uint64_t key, Instant at) {
  ++counters_.misses;
  if (missed_.find(key))
    ++counters_.of_size;
  else
    missed_.insert(key);
  std::ranges::pop_heap(walkers_free_, std::greater<>{});
  Instant& walker = walkers_free_.back();
  auto begin = std::max({at, walker, next_walk_});
  if (refresh_) begin = after_refresh(*refresh_, key * entry_bytes, begin);
  next_walk_ = begin + next_gap();
  const Instant translated = walker = begin + config_.walk_latency;
  std::ranges::push_heap(walkers_free_, std::greater<>{});
  walking_.forget(at - longest_way);
  walking_.book(begin, walker);
  ready_[cache_.insert(key)] = translated;
  return translated;
}

/// Flat, as a host that translates is asked for every train of a flow.
[[gnu::flatten]] Iommu::Translated Iommu::translate_run(std::uint64_t address, Bytes step, Instant at, Duration spacing,
                                                        std::int32_t count) {
  const Instant first = translate(address, at);
  if (count == 1 || step <= Bytes{0} || first != at + config_.hit_latency) return {first, 1};
  // On the page of the first, whose translation is there, and before all is flushed.
  const auto last = address | ((std::uint64_t{1} << static_cast<unsigned>(config_.page_size)) - 1);
  auto alike = static_cast<std::int64_t>(
      std::min((last - address) / static_cast<std::uint64_t>(step.count()), static_cast<std::uint64_t>(count - 1)));
  if (config_.flush_interval > Duration{0} && spacing > Duration{0}) {
    const auto flush = Instant{config_.flush_interval * (flushed_ + 1)};
    alike = std::min(alike, (flush - at - Duration{1}) / spacing);
  }
  counters_.hits += alike;
  counters_.waiting += alike * config_.hit_latency;
  return {first, static_cast<std::int32_t>(alike + 1)};
}

/// What a walk needs of the memory system varies; all that is known of it is its mean.
Duration Iommu::next_gap() {
  if (walk_interval_ == Duration{0}) return {};
  __extension__ using Wide = unsigned __int128;
  const auto scaled = static_cast<Wide>(femtoseconds(walk_interval_)) * exponential_q32(random_.next());
  return Duration{narrow(static_cast<WideInt>(scaled >> 32))};
}

void Iommu::invalidate(std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  for (auto key = page(address); key <= page(address + size - 1); ++key) cache_.erase(key);
}

void Iommu::invalidate_all() {
  cache_.clear();
  ++counters_.flushes;
}

}  // namespace peerpath::host
