// What the window sweeps are held to. Deltas are held against deltas of the same machine: with and without translation,
// other socket and own, cold and warm.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "validation/pcie_bench/effects.hpp"

namespace peerpath::pcie_bench {
namespace {

constexpr double plateau_allowed = 10, miss_allowed = 10, delta_allowed = 15, latency_allowed = 5;
constexpr Bytes covered{256 << 10}, beyond{16 << 20};  ///< windows that any IOTLB here covers; that none does
constexpr Bytes in_cache{8 << 20};                     ///< windows that any last-level cache here holds
constexpr double smallest_delta = 0.02;                ///< of the value; less is within what repeats differ by
constexpr double smallest_loss = 0.01;

std::string name_of_case(const Case& which) { return fmt::format("{} {} B", name_of(which.test), which.size.count()); }

/// Gathers the largest error of what is held to one allowance.
class Largest {
 public:
  Largest(std::string name, double allowed) : criterion_{std::move(name), 0, 0, allowed} {}
  void add(double predicted, double measured) {
    ++criterion_.points;
    criterion_.value = std::max(criterion_.value, 100 * std::abs(predicted / measured - 1));
  }
  /// Says it, if there was anything to hold.
  void to(std::vector<Criterion>& all) const {
    if (criterion_.points > 0) all.push_back(criterion_);
  }

 private:
  Criterion criterion_;
};

using Curve = std::vector<const SweepPrediction*>;  ///< of one case and cache state, by window

std::vector<Curve> curves_of(const SweepReport& report, bool latencies) {
  std::vector<Curve> curves;
  for (const auto& p : report.predictions) {
    const auto& sweep = p.point.sweep;
    if (is_latency(sweep.which.test) != latencies) continue;
    const auto same = [&](const Curve& c) {
      return c.front()->point.sweep.which == sweep.which && c.front()->point.sweep.cache == sweep.cache;
    };
    const auto found = std::ranges::find_if(curves, same);
    (found == curves.end() ? curves.emplace_back() : *found).push_back(&p);
  }
  for (auto& curve : curves)
    std::ranges::sort(curve, {}, [](const SweepPrediction* p) { return p->point.sweep.window; });
  return curves;
}

/// The first window whose bandwidth lies a tenth of the curve's whole loss below that of the windows that are covered;
/// nothing if the curve loses less than 1 %.
std::optional<Bytes> cliff(const Curve& curve, double (*value)(const SweepPrediction&)) {
  double high = 0, low = 1e9;
  for (const auto* p : curve) {
    if (p->point.sweep.window <= covered) high = std::max(high, value(*p));
    low = std::min(low, value(*p));
  }
  if (low > high * (1 - smallest_loss)) return {};
  for (const auto* p : curve)
    if (p->point.sweep.window > covered && value(*p) < high - 0.1 * (high - low)) return p->point.sweep.window;
  return {};
}

double measured_of(const SweepPrediction& p) { return p.point.measured; }
double predicted_of(const SweepPrediction& p) { return p.predicted; }

void judge_translation(const SweepReport& report, const SweepReport& base, std::vector<Criterion>& all) {
  if (const auto cliffs = judge_cliffs(report); cliffs.points > 0) all.push_back(cliffs);
  std::map<std::string, Largest> plateaus;
  for (const auto& p : report.predictions) {
    const auto& sweep = p.point.sweep;
    if (is_latency(sweep.which.test) || p.fitted || (sweep.window > covered && sweep.window < beyond)) continue;
    const auto name = "windows: plateaus of " + name_of_case(sweep.which) + ", largest error %";
    plateaus.try_emplace(name, name, plateau_allowed).first->second.add(p.predicted, p.point.measured);
  }
  for (const auto& [name, plateau] : plateaus) plateau.to(all);
  std::map<std::string, Largest> costs;
  for (const auto& p : report.predictions) {
    const auto& sweep = p.point.sweep;
    const auto* off = base.find(sweep);
    if (!is_latency(sweep.which.test) || p.fitted || sweep.window <= covered || !off) continue;
    const auto name = "windows: added by misses, " + name_of_case(sweep.which) + ", largest error %";
    // The two directories' levels differ by some nanoseconds; what counts is what the window adds.
    Sweep small = sweep;
    small.window = covered;
    const auto *on_none = report.find(small), *off_none = base.find(small);
    if (!on_none || !off_none) continue;
    const auto added = [&](auto value) { return (value(p) - value(*on_none)) - (value(*off) - value(*off_none)); };
    costs.try_emplace(name, name, miss_allowed).first->second.add(added(predicted_of), added(measured_of));
  }
  for (const auto& [name, cost] : costs) cost.to(all);
}

/// Translation on over translation off: with super-pages next to nothing.
void judge_super_pages(const SweepReport& report, const SweepReport& base, std::vector<Criterion>& all) {
  Largest bandwidths{"super-pages: bandwidth over that without translation, largest error %", plateau_allowed};
  Largest latencies{"super-pages: DMA read latency over that without, largest error %", latency_allowed};
  for (const auto& p : report.predictions) {
    const auto test = p.point.sweep.which.test;
    const auto* off = base.find(p.point.sweep);
    if (!off || test == Test::lat_cmd_write_read) continue;
    (is_latency(test) ? latencies : bandwidths)
        .add(p.predicted / off->predicted, p.point.measured / off->point.measured);
  }
  bandwidths.to(all);
  latencies.to(all);
}

/// A bandwidth that hardly differs says nothing.
bool tells_delta(const SweepPrediction& p, const SweepPrediction& from) {
  const auto measured = p.point.measured - from.point.measured;
  return std::abs(measured) >= smallest_delta * from.point.measured && !(p.fitted && from.fitted);
}

/// Holds the difference of `p` to `from`.
void add_delta(std::map<std::string, Largest>& deltas, const std::string& what, const SweepPrediction& p,
               const SweepPrediction& from) {
  if (!tells_delta(p, from)) return;
  const auto measured = p.point.measured - from.point.measured;
  const auto name = what + " delta of " + name_of_case(p.point.sweep.which) + ", largest error %";
  deltas.try_emplace(name, name, delta_allowed).first->second.add(p.predicted - from.predicted, measured);
}

/// Reads alone go to the other socket; of windows that one page or the card's own buffers hold nothing is known.
void judge_remote(const SweepReport& report, const SweepReport& base, std::vector<Criterion>& all) {
  std::map<std::string, Largest> deltas;
  for (const auto& p : report.predictions) {
    const auto& sweep = p.point.sweep;
    if (sweep.cache != CacheState::warm || sweep.window < Bytes{16 << 10} || sweep.window > in_cache) continue;
    if (const auto* local = base.find(sweep); local && sweep.which.test != Test::lat_cmd_write_read)
      add_delta(deltas, "remote socket:", p, *local);
  }
  for (const auto& [name, delta] : deltas) delta.to(all);
}

}  // namespace

bool is_cold_window(Bytes window) { return window >= Bytes{16 << 10} && window <= in_cache; }

std::vector<Criterion> judge_cold(const SweepReport& report) {
  std::map<std::string, Largest> deltas;
  for (const auto& p : report.predictions) {
    auto warm = p.point.sweep;
    if (p.point.sweep.cache != CacheState::cold || !is_cold_window(warm.window)) continue;
    warm.cache = CacheState::warm;
    if (const auto* from = report.find(warm); from && warm.which.test != Test::lat_cmd_write_read)
      add_delta(deltas, "cold cache:", p, *from);
  }
  // Lines that devices write: within their ways, and far beyond.
  for (const auto& p : report.predictions) {
    const auto& sweep = p.point.sweep;
    if (sweep.which.test != Test::lat_cmd_write_read || sweep.cache != CacheState::cold || sweep.window < beyond)
      continue;
    auto small = sweep;
    small.window = Bytes{16 << 10};
    if (const auto* from = report.find(small)) add_delta(deltas, "beyond the devices' ways:", p, *from);
  }
  std::vector<Criterion> all;
  for (const auto& [name, delta] : deltas) delta.to(all);
  return all;
}

Criterion judge_cliffs(const SweepReport& report) {
  Criterion cliffs{"windows: bandwidth curves whose cliff is at another window", 0, 0, 0};
  for (const auto& curve : curves_of(report, false)) {
    ++cliffs.points;
    if (cliff(curve, measured_of) != cliff(curve, predicted_of)) ++cliffs.value;
  }
  return cliffs;
}

std::vector<Criterion> judge_sweeps(const SweepReport& report, const SweepReport* base) {
  std::vector<Criterion> all;
  const auto& setup = report.host->setup;
  if (setup.iommu && !setup.super_pages && base) judge_translation(report, *base, all);
  if (setup.iommu && setup.super_pages && base) judge_super_pages(report, *base, all);
  if (setup.remote_memory && base) judge_remote(report, *base, all);
  // With translation and small pages, misses of both kinds add up; without it the cache stands alone.
  if (!setup.remote_memory && (!setup.iommu || setup.super_pages))
    for (auto& criterion : judge_cold(report)) all.push_back(std::move(criterion));
  return all;
}

}  // namespace peerpath::pcie_bench
