#include "peerpath/sc/run.hpp"

#include <chrono>

#include "peerpath/base/fail.hpp"
#include "peerpath/sc/time.hpp"
#include "peerpath/scenario/frames.hpp"
#include "sc/counts.hpp"
#include "sc/error_records.hpp"
#include "sc/hardware_events.hpp"
#include "sc/traffic_setup.hpp"
#include "sc/watchdog.hpp"

namespace peerpath::sc {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds report_interval{100};

/// Simulates until `end` in slices that take a fraction of the reporting interval each, or until the watchdog barks;
/// false if stopped before.
bool simulate(Instant end, const Watchdog& watchdog, const RunOptions& options) {
  Duration slice = std::chrono::microseconds{1};
  auto reported = Clock::now();
  while (now() < end) {
    const auto started = Clock::now();
    sc_core::sc_start(to_sc_time(std::min(slice, end - now())));
    if (watchdog.found()) return true;
    const auto ended = Clock::now();
    if (ended - started < report_interval / 8 && slice < std::chrono::seconds{1}) slice *= 2;
    if (ended - started > report_interval / 2 && slice > std::chrono::nanoseconds{100}) slice /= 2;
    if (ended - reported < report_interval) continue;
    reported = ended;
    if (options.progress) options.progress({now() - Instant{}, end - Instant{}});
    if (options.stop && options.stop()) return false;
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // what happens at `end` itself, which sc_start(time) leaves for later
  if (options.progress) options.progress({end - Instant{}, end - Instant{}});
  return true;
}

/// Of traffic that has an end: whether all of it has come to it.
bool has_ended(const scenario::Scenario& scenario, const Meter& meter) {
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    const auto& result = meter.traffic[i];
    const auto frames = scenario::frames_of(scenario.traffic[i]).value_or(0);
    if (frames == 0 || result.delivered_packets + result.dropped_packets + meter.in_vain(i) < frames) return false;
  }
  return true;
}

}  // namespace

tl::expected<observe::Results, Problems> run_model(const scenario::Scenario& scenario, const RunOptions& options) {
  static bool used = false;
  require(!std::exchange(used, true), "SystemC runs once a process");
  set_femtosecond_resolution();
  const auto& run = scenario.run;
  const Instant begin{run.warmup}, end = begin + run.measure;

  Meter meter{begin, end};
  meter.turn_at(refusal_turns(scenario));
  Platform platform{scenario,
                    {.mode = options.mode,
                     .quantum = options.quantum.value_or(run.quantum),
                     .seed = static_cast<std::uint64_t>(run.seed)}};
  HardwareEvents events{scenario, platform};
  Watchdog watchdog{scenario, platform};
  const TrafficSetup traffic{scenario, platform, meter, options.captures};
  auto problems = traffic.problems();
  problems.insert(problems.end(), events.problems().begin(), events.problems().end());
  if (!problems.empty()) return tl::unexpected{problems};

  if (options.check_protocol) platform.domain.check_protocol(options.trace);
  Counts before, after;
  before.when = after.when = Instant{};
  platform.domain.at(begin, [&](fabric::Fabric&) { before = take_counts(platform, begin); });
  platform.domain.at(end, [&](fabric::Fabric&) { after = take_counts(platform, end); });
  platform.domain.when_built([&](const fabric::Topology& topology, fabric::Fabric& fabric) {
    events.built(topology, fabric);
    if (options.built) options.built(topology);
    if (!options.check_protocol) fabric.observe(options.trace);
  });

  observe::Results results;
  results.complete = simulate(end, watchdog, options);
  results.deadlock = watchdog.found();
  if (!results.complete || results.deadlock) {
    platform.domain.settle();
    after = take_counts(platform, now());
    if (now() < begin) before = after;
  }
  results.wanted_window = run.measure;
  if (results.complete && has_ended(scenario, meter)) {  // what came after its end was silence
    after.when = meter.last();
    results.wanted_window = after.when - before.when;
  }
  results.window = after.when - before.when;
  results.traffic = meter.traffic;
  fill(results, platform, scenario, meter, before, after);
  results.errors = error_records(scenario, platform, meter, after.links, results);
  if (options.check_protocol) results.protocol = platform.domain.violations();
  if (!results.conservation.empty()) fail("bytes were lost or made: " + results.conservation.front());
  return results;
}

}  // namespace peerpath::sc

// The SystemC library's own main refers to it; a program that calls run_model has a main of its own.
int sc_main(int, char**) { return 1; }
