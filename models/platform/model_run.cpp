#include "platform/model_run.hpp"

#include "loop/loop.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/frames.hpp"
#include "platform/error_records.hpp"
#include "scenario/catalogue.hpp"

namespace peerpath::platform {
namespace {

constexpr std::chrono::milliseconds report_interval{100};

}  // namespace

ModelRun::ModelRun(const scenario::Scenario& scenario, const RunOptions& options)
    : scenario_{scenario},
      options_{options},
      begin_{scenario.run.warmup},
      end_{begin_ + scenario.run.measure},
      meter_{begin_, end_, refusal_turns(scenario)},
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
  reactor().watch({.checker = options_.check_protocol, .still = scenario_.events.empty(), .listener = options_.trace});
  if (options_.guide) domain.guide(options_.guide);
  reactor().at(begin_, [this](fabric::Fabric&) { before_ = take_counts(platform_, begin_); });
  reactor().at(end_, [this](fabric::Fabric&) { after_ = take_counts(platform_, end_); });
  domain.complete();
  domain.link();
  std::string wrong;
  for (const auto& problem : domain.build()) wrong += "\n  " + problem;
  if (!wrong.empty()) fail("a platform that cannot be simulated:" + wrong);
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
  results.complete = !stopped_;
  results.deadlock = watchdog_.found();
  if (!results.complete || results.deadlock) {
    while (reactor().horizon() < now) reactor().advance(now);
    after_ = take_counts(platform_, now);
    if (now < begin_) before_ = after_;
  } else if (options_.progress) {
    options_.progress({end_ - Instant{}, end_ - Instant{}});
  }
  results.wanted_window = scenario_.run.measure;
  if (results.complete && has_ended()) {  // what came after its end was silence
    after_.when = meter_.last();
    results.wanted_window = after_.when - before_.when;
  }
  results.window = after_.when - before_.when;
  results.traffic = meter_.traffic;
  fill(results, platform_, scenario_, meter_, before_, after_);
  results.errors = error_records(scenario_, platform_, meter_, after_.links, results);
  if (options_.check_protocol) results.protocol = reactor().violations();
  if (!results.conservation.empty()) fail("bytes were lost or made: " + results.conservation.front());
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
