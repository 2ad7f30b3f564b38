#include "validation/pcie_bench/effects.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace peerpath::pcie_bench {
namespace {

constexpr Sweep latency(std::int64_t kib, CacheState cache = CacheState::warm) {
  return {{Test::lat_dma_read, Bytes{64}}, Bytes{kib << 10}, cache};
}

constexpr Sweep no_miss = latency(256), some_misses = latency(1024), all_miss = latency(16384);
constexpr Sweep walk_bound_reads{{Test::bw_read, Bytes{64}}, Bytes{64 << 20}, CacheState::warm};
constexpr Sweep walk_bound_writes{{Test::bw_write, Bytes{64}}, Bytes{64 << 20}, CacheState::warm};
constexpr std::int64_t page_bytes = 4096;

constexpr Sweep cold_reads = latency(1024, CacheState::cold), warm_reads = latency(1024);

struct NamedPoint {
  const HostData* Variants::*of;
  Sweep sweep;
};

/// Besides `cold_reads` and `warm_reads` of every plain directory.
constexpr std::array<NamedPoint, 6> wanted{{{&Variants::remote, warm_reads},
                                            {&Variants::iommu, no_miss},
                                            {&Variants::iommu, some_misses},
                                            {&Variants::iommu, all_miss},
                                            {&Variants::iommu, walk_bound_reads},
                                            {&Variants::iommu, walk_bound_writes}}};

constexpr double refresh_interval_ns = static_cast<double>(femtoseconds(refresh_interval)) / 1e6;

/// What a single read or walk waits on average for a rank that is being refreshed.
double refresh_wait(const HostData& host) {
  const auto time = read_refresh(host);
  return time * time / (2 * refresh_interval_ns);
}

/// E / P of the law that hits follow.
double pages(const Sweep& sweep) { return static_cast<double>(sweep.window.count() / page_bytes); }

std::optional<double> cold_miss_of(const HostData& host) {
  const auto *cold = host.find(cold_reads), *warm = host.find(warm_reads);
  if (!cold || !warm) return {};
  const auto miss = cold->measured - warm->measured - refresh_wait(host);
  return miss > 0 ? std::optional{miss} : std::nullopt;
}

/// The value whose relative errors have the least sum of squares.
double nearest_to_all(std::span<const double> values) {
  double sum = 0, squares = 0;
  for (const auto value : values) {
    sum += 1 / value;
    squares += 1 / (value * value);
  }
  return sum / squares;
}

}  // namespace

bool is_fitted(const Variants& variants, const HostData& host, const Sweep& sweep) {
  if (sweep == cold_reads || sweep == warm_reads)
    if (std::ranges::find(variants.plain, host.name, &HostData::name) != variants.plain.end()) return true;
  return std::ranges::any_of(
      wanted, [&](const NamedPoint& p) { return (variants.*p.of)->name == host.name && p.sweep == sweep; });
}

std::string_view machine_of(std::string_view name) {
  for (const std::string_view variant : {"-s0-", "-s1-", "-iommu"}) name = name.substr(0, name.find(variant));
  return name;
}

std::optional<Variants> find_variants(std::span<const HostData> hosts) {
  std::vector<const HostData*> plain;
  for (const auto& host : hosts)
    if (!host.setup.iommu && !host.setup.remote_memory) plain.push_back(&host);
  for (const auto* base : plain) {
    Variants found{.base = base, .plain = plain};
    for (const auto& host : hosts) {
      if (machine_of(host.name) != machine_of(base->name)) continue;
      if (host.setup.iommu && !host.setup.super_pages && !host.setup.remote_memory) found.iommu = &host;
      if (!host.setup.iommu && host.setup.remote_memory) found.remote = &host;
    }
    if (found.iommu && found.remote) return found;
  }
  return {};
}

std::optional<EffectConstants> fit_effects(const Variants& variants) {
  std::array<double, wanted.size()> measured{};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto* point = (variants.*wanted[i].of)->find(wanted[i].sweep);
    if (!point) return {};
    measured[i] = point->measured;
  }
  const auto [remote, none, some, all, reads, writes] = measured;
  const auto* warm = variants.base->find(warm_reads);
  std::vector<double> misses;
  for (const auto* host : variants.plain)
    if (const auto miss = cold_miss_of(*host)) misses.push_back(*miss);
  if (!warm || misses.empty()) return {};
  const auto waits = refresh_wait(*variants.base);  // of this machine, however it is measured
  EffectConstants fitted;
  fitted.cold_miss = nearest_to_all(misses);
  fitted.remote_hop = std::max(0.0, remote - warm->measured - fitted.cold_miss - waits);
  // added(P) = (walk_latency + what a walk waits for refreshes) * (1 - E / P), twice.
  const double few = pages(some_misses), many = pages(all_miss);
  const auto walk = ((all - none) * many - (some - none) * few) / (many - few);
  fitted.walk_latency = std::max(0.0, walk - waits);
  fitted.iotlb_entries = std::round(few * (1 - (some - none) / walk));
  // Transfers a nanosecond, times the share that misses, is walks a nanosecond, of which none starts in a refresh.
  const auto bits = static_cast<double>(8 * walk_bound_reads.which.size.count());
  const auto missing = std::max(0.0, 1 - fitted.iotlb_entries / pages(walk_bound_reads));
  const auto refreshed = read_refresh(*variants.base) / refresh_interval_ns;
  fitted.walk_interval = bits / std::sqrt(reads * writes) / missing * (1 - refreshed);
  return fitted;
}

const SweepPrediction* SweepReport::find(const Sweep& sweep) const {
  const auto at = std::ranges::find(predictions, sweep, [](const SweepPrediction& p) { return p.point.sweep; });
  return at == predictions.end() ? nullptr : &*at;
}

}  // namespace peerpath::pcie_bench
