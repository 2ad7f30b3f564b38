#include "validation/pcie_bench/effects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "validation/compare/in_parallel.hpp"

namespace peerpath::pcie_bench {
namespace {

constexpr Sweep latency(std::int64_t kib, CacheState cache = CacheState::warm) {
  return {{Test::lat_dma_read, Bytes{64}}, Bytes{kib << 10}, cache};
}

constexpr Sweep no_miss = latency(256), some_misses = latency(1024), all_miss = latency(16384);
constexpr Sweep walk_bound_reads{{Test::bw_read, Bytes{64}}, Bytes{64 << 20}, CacheState::warm};
constexpr Sweep walk_bound_writes{{Test::bw_write, Bytes{64}}, Bytes{64 << 20}, CacheState::warm};
constexpr std::array translation_points{no_miss, some_misses, all_miss, walk_bound_reads, walk_bound_writes};
constexpr std::int64_t page_bytes = 4096;

constexpr Sweep cold_reads = latency(1024, CacheState::cold), warm_reads = latency(1024);

constexpr double refresh_interval_ns = static_cast<double>(femtoseconds(refresh_interval)) / 1e6;

/// What a single read or walk waits on average for a rank that is being refreshed.
double refresh_wait(const HostData& host) {
  const auto time = read_refresh(host);
  return time * time / (2 * refresh_interval_ns);
}

/// E / P of the law that hits follow.
double pages(const Sweep& sweep) { return static_cast<double>(sweep.window.count() / page_bytes); }

bool is_plain(const HostData& host) { return !host.setup.iommu && !host.setup.remote_memory; }
bool walks(const HostData& host) { return host.setup.iommu && !host.setup.super_pages && !host.setup.remote_memory; }

std::optional<double> cold_miss_of(const HostData& host) {
  const auto *cold = host.find(cold_reads), *warm = host.find(warm_reads);
  if (!cold || !warm) return {};
  const auto miss = cold->measured - warm->measured - refresh_wait(host);
  return miss > 0 ? std::optional{miss} : std::nullopt;
}

/// What cold reads take longer than warm ones, of each window that is held.
std::vector<double> cold_latency_steps(const HostData& host) {
  std::vector<double> steps;
  for (const auto& [sweep, measured, tail] : host.sweeps) {
    if (sweep.which != cold_reads.which || sweep.cache != CacheState::cold || !is_cold_window(sweep.window)) continue;
    if (const auto* warm = host.find(Sweep{sweep.which, sweep.window, CacheState::warm}))
      steps.push_back(measured - warm->measured);
  }
  return steps;
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

/// Fits the IOMMU's constants to the host's own points; whether all of these are there.
bool fit_translation(const HostData& host, const HostData& base, EffectConstants& fitted) {
  std::array<double, translation_points.size()> measured{};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto* point = host.find(translation_points[i]);
    if (!point) return false;
    measured[i] = point->measured;
  }
  const auto [none, some, all, reads, writes] = measured;
  // added(P) = (walk_latency + what a walk waits for refreshes) * (1 - E / P), twice.
  const double few = pages(some_misses), many = pages(all_miss);
  const auto walk = ((all - none) * many - (some - none) * few) / (many - few);
  if (walk <= 0) return false;
  fitted.walk_latency = std::max(0.0, walk - refresh_wait(base));
  fitted.iotlb_entries = std::max(1.0, std::round(few * (1 - (some - none) / walk)));
  // Transfers a nanosecond, times the share that misses, is walks a nanosecond, of which none starts in a refresh.
  const auto bits = static_cast<double>(8 * walk_bound_reads.which.size.count());
  const auto missing = std::max(0.0, 1 - fitted.iotlb_entries / pages(walk_bound_reads));
  const auto refreshed = read_refresh(base) / refresh_interval_ns;
  const auto walks_apart = [&](double rate) { return bits / rate / missing * (1 - refreshed); };
  fitted.walk_interval = walks_apart(std::sqrt(reads * writes));
  fitted.write_walk_interval = walks_apart(writes);
  return true;
}

}  // namespace

bool is_fitted(const HostData& host, const Sweep& sweep) {
  if (is_plain(host)) return sweep == cold_reads || sweep == warm_reads;
  if (host.setup.remote_memory) return !host.setup.iommu && sweep == warm_reads;
  return walks(host) && std::ranges::find(translation_points, sweep) != translation_points.end();
}

std::string_view machine_of(std::string_view name) {
  for (const std::string_view variant : {"-s0-", "-s1-", "-iommu"}) name = name.substr(0, name.find(variant));
  return name;
}

const HostData* base_of(const HostData& host, std::span<const HostData> all) {
  for (const auto& other : all)
    if (machine_of(other.name) == machine_of(host.name) && is_plain(other)) return &other;
  return nullptr;
}

std::vector<double> cold_misses(std::span<const HostData> all, std::string_view left_out) {
  std::vector<double> misses;
  for (const auto& other : all)
    if (const auto miss = is_plain(other) && machine_of(other.name) != left_out ? cold_miss_of(other) : std::nullopt)
      misses.push_back(*miss);
  return misses;
}

std::optional<double> own_cold_miss(const HostData& host, std::span<const HostData> all) {
  const auto* base = base_of(host, all);
  return base ? cold_miss_of(*base) : std::nullopt;
}

std::optional<double> fit_cold_miss(const HostData& host, std::span<const HostData> all) {
  if (const auto own = own_cold_miss(host, all)) return own;
  const auto misses = cold_misses(all);
  return misses.empty() ? std::nullopt : std::optional{nearest_to_all(misses)};
}

std::vector<double> cold_misses_of_windows(const HostData& host) {
  std::vector<double> misses;
  for (const auto step : cold_latency_steps(host)) misses.push_back(step - refresh_wait(host));
  return misses;
}

Range fitting_cold_miss(const HostData& host, double share) {
  Range range{0, std::numeric_limits<double>::infinity()};
  for (const auto step : cold_latency_steps(host)) {
    range.least = std::max(range.least, step * (1 - share) - refresh_wait(host));
    range.most = std::min(range.most, step * (1 + share) - refresh_wait(host));
  }
  return range;
}

std::optional<HostEffects> fit_effects(const HostData& host, std::span<const HostData> all) {
  const auto cold_miss = fit_cold_miss(host, all);
  if (!cold_miss) return {};
  HostEffects fitted;
  fitted.constants.cold_miss = *cold_miss;
  const auto* base = base_of(host, all);
  if (const auto* near = base ? base->find(warm_reads) : nullptr; near && host.setup.remote_memory)
    if (const auto* far = host.find(warm_reads)) {
      const auto hop = far->measured - near->measured - fitted.constants.cold_miss - refresh_wait(*base);
      fitted.constants.remote_hop = std::max(0.0, hop);
      fitted.own_hop = true;
    }
  if (walks(host)) fitted.own_translation = fit_translation(host, base ? *base : host, fitted.constants);
  return fitted;
}

SweepReport predict_sweeps(const HostData& host, std::span<const HostData> all, const Basis& basis,
                           const HostEffects& effects, const std::function<bool(const Sweep&)>& wanted) {
  SweepReport report{&host, {}};
  if (host.setup.cache == Bytes{}) return report;
  for (const auto& point : host.sweeps)
    if (wanted(point.sweep)) report.predictions.push_back({point, 0, is_fitted(host, point.sweep)});
  if (report.predictions.empty()) return report;
  const auto* base = base_of(host, all);
  const auto constants = fit_host(base ? *base : host, basis.card, basis.looks);
  compare::in_parallel(report.predictions.size(), [&](std::size_t i) {
    auto& [point, predicted, fitted] = report.predictions[i];
    predicted = play(point.sweep, host.setup, basis.card, constants, effects.constants);
  });
  return report;
}

const SweepPrediction* SweepReport::find(const Sweep& sweep) const {
  const auto at = std::ranges::find(predictions, sweep, [](const SweepPrediction& p) { return p.point.sweep; });
  return at == predictions.end() ? nullptr : &*at;
}

}  // namespace peerpath::pcie_bench
