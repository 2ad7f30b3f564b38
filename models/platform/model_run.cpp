#include "platform/model_run.hpp"

#include "loop/loop.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/window.hpp"
#include "platform/error_records.hpp"
#include "scenario/catalogue.hpp"

namespace peerpath::platform {
namespace {

constexpr std::chrono::milliseconds report_interval{100};

}  // namespace

ModelRun::ModelRun(const scenario::Scenario& scenario, const RunOptions& options)
    : scenario_{scenario},
      options_{options},
      end_{scenario::longest_run(scenario)},
      entries_{watched_entries(scenario)},
      search_{window_plan(scenario), entries_, watched_backlogs(scenario)},
      meter_{never, search_.next_edge(), refusal_turns(scenario)},
      platform_{scenario, options.mode},
      events_{scenario, platform_},
      watchdog_{scenario, platform_},
      traffic_{scenario, platform_, meter_, options.captures} {}

Problems ModelRun::problems() const {
  auto problems = traffic_.problems();
  problems.insert(problems.end(), events_.problems().begin(), events_.problems().end());
  return problems;
}

Problems ModelRun::build() {
  auto& domain = platform_.domain;
  meter_.watch(options_.transferred);
  reactor().watch({.checker = options_.check_protocol, .still = scenario_.events.empty(), .listener = options_.trace});
  if (options_.guide) domain.guide(options_.guide);
  reactor().at(search_.next_edge(), [this](fabric::Fabric&) { at_edge(search_.next_edge()); });
  domain.make();
  meter_.built(domain.topology());
  events_.built(domain.topology(), domain.fabric());
  return options_.built ? options_.built(scene()) : Problems{};
}

observe::Scene ModelRun::scene() const {
  auto scene = observe::scene_of(platform_.domain.topology(), platform_.labels());
  // Cores have the place of their memory, which it is then called after.
  for (const auto& device : scenario_.devices)
    if (const auto node = platform_.node(device.name).value(); scene.topology.nodes[node].name == device.name)
      scene.kinds[node] = scenario::kind_of(device);
  return scene;
}

void ModelRun::at_edge(Instant now) {
  if (watchdog_.found() || stopped_) return;
  const auto totals = meter_.totals(platform_.domain.fabric(), now);
  std::vector<observe::Histogram> latencies;
  for (std::size_t i = 0; i < totals.size(); ++i) latencies.push_back(meter_.take_latencies(i));
  const auto step = search_.at_edge(read_run(scenario_, platform_, traffic_, totals, latencies, entries_, now));
  if (step == WindowSearch::Step::end) {
    after_ = take_counts(platform_, now);
    meter_.close(totals_before_, totals);
    finished_ = true;
    return;
  }
  if (step == WindowSearch::Step::begin) {
    before_ = take_counts(platform_, now);
    totals_before_ = totals;
    meter_.begin_window();
  }
  meter_.move_on(search_.next_edge());
  reactor().at(search_.next_edge(), [this](fabric::Fabric&) { at_edge(search_.next_edge()); });
}

bool ModelRun::is_to_stop(Instant now) {
  const auto wall = Clock::now();
  if (wall - reported_ < report_interval) return false;
  reported_ = wall;
  if (options_.progress) options_.progress({now - Instant{}, end_ - Instant{}});
  stopped_ = options_.stop && options_.stop();
  return stopped_;
}

/// Of traffic that has an end: whether all of it has come to it.
bool ModelRun::has_ended() const {
  for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
    const auto& result = meter_.traffic[i];
    const auto frames = scenario::frames_of(scenario_.traffic[i]).value_or(0);
    if (frames == 0 || result.delivered_packets + result.dropped_packets + meter_.in_vain(i) < frames) return false;
  }
  return true;
}

observe::Results ModelRun::results(Instant now) {
  observe::Results results;
  results.complete = finished_ || !stopped_;
  if (!finished_) {
    results.deadlock = watchdog_.found();
    while (reactor().horizon() < now) reactor().advance(now);
    after_ = take_counts(platform_, now);
    if (before_.devices.empty()) before_ = after_;
    const auto totals = meter_.totals(platform_.domain.fabric(), now);
    meter_.close(totals_before_.empty() ? totals : totals_before_, totals);
  } else if (options_.progress) {
    options_.progress({end_ - Instant{}, end_ - Instant{}});
  }
  results.warmup = before_.when - Instant{};
  Steadiness::Pooled latencies;
  for (const auto& entry : meter_.traffic) latencies.push_back(&entry.latency);
  results.steady = search_.verdict(latencies);
  if (!finished_) results.steady.judged = false;
  results.wanted_window =
      scenario::finds_window(scenario_) && finished_ ? after_.when - before_.when : scenario::fixed_measure(scenario_);
  if (results.complete && has_ended()) {  // what came after its end was silence
    after_.when = meter_.last();
    results.wanted_window = after_.when - before_.when;
  }
  results.window = after_.when - before_.when;
  results.traffic = meter_.traffic;
  fill(results, platform_, scenario_, meter_, before_, after_);
  results.errors = error_records(scenario_, platform_, meter_, after_.links, results);
  if (options_.check_protocol) results.protocol = reactor().violations();
  if (!results.conservation.empty()) fail("bytes are not conserved: " + results.conservation.front());
  return results;
}

tl::expected<observe::Results, Problems> run(const scenario::Scenario& scenario, const RunOptions& options) {
  ModelRun run{scenario, options};
  if (auto problems = run.problems(); !problems.empty()) return tl::unexpected{std::move(problems)};
  if (auto problems = run.build(); !problems.empty()) return tl::unexpected{std::move(problems)};
  auto& reactor = run.reactor();
  loop::drive(reactor, run.end(), run.quantum(), [&] { return run.over(reactor.horizon()); });
  return run.results(reactor.horizon());
}

}  // namespace peerpath::platform
