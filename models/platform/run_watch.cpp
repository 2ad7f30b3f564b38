#include "platform/run_watch.hpp"

#include <algorithm>

#include "devices/gpu/bar1.hpp"
#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/queues.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/tree.hpp"
#include "transport/traffic/dma_source.hpp"

namespace peerpath::platform {
namespace {

using scenario::Traffic;

/// How long regular traffic takes to repeat itself; 0 for traffic that does not, or that begins when something ends.
Duration period_of(const Traffic& t) {
  const bool repeats = t.with_kind([](auto kind, const auto&) { return kind.repeats; });
  if (t.arrival != scenario::ArrivalLaw::regular || !repeats) return Duration{0};
  Bytes round{};
  for (const Bytes size : t.sizes)
    round += t.with_kind([&](auto kind, const auto& what) { return kind.at_rate(what, size); });
  return round / t.rate;
}

/// The first entry of each share of a NIC's transmit queues, which has its name, and the queues.
std::vector<std::pair<std::size_t, std::vector<int>>> transmit_rings(const scenario::Scenario& scenario) {
  std::vector<std::pair<std::size_t, std::vector<int>>> rings;
  for (const auto& device : scenario.devices)
    for (const auto& share : scenario::transmit_shares(scenario, device.name))
      if (!share.entries.empty()) rings.emplace_back(share.entries.front(), share.queues);
  return rings;
}

/// Payload that one remap by a GPU takes from an entry at its mean rate, which alternates between pieces and remaps; 0:
/// it has none.
std::int64_t taken_by_a_remap(const scenario::Scenario& scenario, const std::vector<scenario::Bar1Plan>& plans,
                              std::size_t entry) {
  std::int64_t most = 0;
  for (const auto& plan : plans)
    for (const auto& mapping : plan.mappings) {
      if (mapping.verdict != scenario::Bar1Verdict::remapped || std::ranges::count(mapping.entries, entry) == 0)
        continue;
      const auto found = std::ranges::find(scenario.devices, plan.gpu, &scenario::Device::name);
      const auto& gpu = std::get<device::GpuConfig>(found->config);
      const auto pause = gpu::Bar1{gpu}.remap(gpu.bar1.piece, Instant{}) - Instant{};
      const auto cycle = gpu.bar1.piece / scenario.traffic[entry].rate + pause;
      const auto taken = static_cast<WideInt>(gpu.bar1.piece.count()) * pause.count() / cycle.count();
      most = std::max(most, narrow(taken));
    }
  return most;
}

bool is_router(const scenario::Device& device) {
  return std::holds_alternative<device::SwitchConfig>(device.config) ||
         std::holds_alternative<device::RootComplexConfig>(device.config);
}

/// Payload in a router: what came in less what went out.
std::int64_t payload_inside(Platform& platform, fabric::NodeId router) {
  Bytes inside{};
  const auto& links = platform.domain.topology().links;
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (links[l].a != router && links[l].b != router) continue;
    for (const int direction : {0, 1}) {
      const bool in = (direction == 0 ? links[l].b : links[l].a) == router;
      const auto counters = platform.domain.fabric().counters(fabric::LinkId{static_cast<std::uint16_t>(l)}, direction);
      for (const auto& tally : counters.tallies) inside += in ? tally.payload : Bytes{0} - tally.payload;
    }
  }
  return inside.count();
}

}  // namespace

WindowPlan window_plan(const scenario::Scenario& scenario) {
  WindowPlan plan{.found = scenario::finds_window(scenario),
                  .judged = scenario::can_be_steady(scenario),
                  .warmup = scenario.run.warmup,
                  .measure = scenario.run.measure,
                  .longest = scenario::longest_run(scenario),
                  .precision_ppm = static_cast<std::int64_t>(scenario.run.precision * 10'000 + 0.5)};
  if (!plan.found) {
    plan.warmup = scenario::fixed_warmup(scenario);
    plan.measure = scenario::fixed_measure(scenario);
    return plan;
  }
  std::vector<Duration> periods;
  for (const auto& t : scenario.traffic) periods.push_back(period_of(t));
  plan.set_periods(periods);
  return plan;
}

std::vector<WatchedEntry> watched_entries(const scenario::Scenario& scenario) {
  Bytes tlp{};
  for (const auto& device : scenario.devices)
    if (const auto* function = scenario::function_of(device)) tlp = std::max(tlp, function->max_payload);
  const auto windows = scenario::bar1_plans(scenario);
  std::vector<WatchedEntry> entries;
  for (const auto& t : scenario.traffic) {
    const bool even =
        t.arrival == scenario::ArrivalLaw::regular && t.with_kind([](auto kind, const auto&) { return kind.even; });
    entries.push_back({t.name,
                       even ? t.rate : BitRate{},
                       t.with_kind([](auto kind, const auto&) { return kind.waits_at_source; }),
                       {{500'000, ".latency_p50_ns"},
                        {900'000, ".latency_p90_ns"},
                        {990'000, ".latency_p99_ns"},
                        {999'000, ".latency_p999_ns"}}});
    auto& entry = entries.back();
    entry.saturates = t.saturates;
    entry.message = t.sizes.empty() ? 0 : std::ranges::max(t.sizes).count();
    entry.piece = std::min(entry.message, tlp.count());
    // Whether the window has one remap more or less depends on where it begins.
    entry.piece = std::max(entry.piece, taken_by_a_remap(scenario, windows, entries.size() - 1));
    entry.period = period_of(t);
  }
  return entries;
}

std::vector<WatchedBacklog> watched_backlogs(const scenario::Scenario& scenario) {
  constexpr std::int64_t few_tlps = 2048;
  std::vector<WatchedBacklog> backlogs;
  for (const auto& device : scenario.devices)
    if (is_router(device)) backlogs.push_back({"queues in " + device.name, BacklogUnit::bytes, few_tlps});
  for (const auto& [entry, queues] : transmit_rings(scenario)) {
    const auto& t = scenario.traffic[entry];
    const auto burst = std::ranges::max(t.sizes) * std::int64_t{std::max(t.burst, 1)};
    backlogs.push_back({"transmit rings of " + t.name, BacklogUnit::bytes, burst.count(), entry});
  }
  return backlogs;
}

Reading read_run(const scenario::Scenario& scenario, Platform& platform, const TrafficSetup& traffic,
                 const std::vector<Meter::Totals>& totals, const std::vector<observe::Histogram>& latencies,
                 const std::vector<WatchedEntry>& entries, Instant now) {
  Reading reading{now};
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const auto& t = totals[i];
    Reading::Entry entry{.offered = t.offered.count(), .arrived = t.arrived.count(), .failed = t.failed.count()};
    entry.largest = t.largest.count();
    entry.waiting = (entries[i].waits_at_source ? t.offered - t.ended - t.failed : t.frames_waiting()).count();
    for (const auto* source : traffic.sources(i)) {
      entry.in_flight += source->in_flight(now);
      entry.most_in_flight += source->most_in_flight();
    }
    entry.sample(latencies[i], entries[i].latencies);
    reading.entries.push_back(std::move(entry));
  }
  for (const auto& device : scenario.devices)
    if (is_router(device)) reading.levels.push_back(payload_inside(platform, platform.node(device.name)));
  for (const auto& [entry, queues] : transmit_rings(scenario)) {
    const auto& t = scenario.traffic[entry];
    auto* cpu = platform.cpu_of(t.as<scenario::traffic::Network>()->headers_to);
    Bytes held{};
    for (const int queue : queues)
      if (cpu != nullptr)
        held += cpu->behaviour().held(platform.node(t.from), nic::QueueIndex{static_cast<std::uint16_t>(queue)});
    reading.levels.push_back(held.count());
  }
  return reading;
}

}  // namespace peerpath::platform
