#include "tools/peerpath/what_if.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "tools/peerpath/child_pool.hpp"
#include "tools/peerpath/numbers.hpp"
#include "tools/peerpath/suspects.hpp"

namespace peerpath::cli {
namespace {

using observe::Decimal;
using observe::WhatIfRow;

constexpr std::int64_t one_percent = 100;  // of changes, in units of 10^-places
constexpr int places = 2;
constexpr std::string_view down = ", which is down";

/// A row and what it changes.
struct Trial {
  WhatIfRow row;
  std::vector<Suspect::Change> changes;
};

/// Changes the rate of a link: its width, or its generation where the width is at its end.
bool scale_link(scenario::Link& link, bool doubled) {
  if (doubled && link.width <= 8) return link.width *= 2, true;
  if (doubled) return link.generation < 6 && (++link.generation, true);
  if (link.width != 12 && link.width > 1) return link.width /= 2, true;
  return link.generation > 1 && (--link.generation, true);
}

bool apply(scenario::Scenario& s, const Suspect::Change& change, bool doubled) {
  for (std::size_t n = 0; n < s.links.size(); ++n)
    if (change.pointer == "/links/" + std::to_string(n) + "/width") return scale_link(s.links[n], doubled);
  return scale(s, change.pointer, doubled != change.inverse);
}

/// Values that a run has although the scenario leaves them open, so that they can be changed.
scenario::Scenario spelled_out(scenario::Scenario s) {
  s.expect.clear();
  for (auto& device : s.devices)
    if (auto* gpu = std::get_if<device::GpuConfig>(&device.config); gpu != nullptr && !gpu->outstanding)
      gpu->outstanding = 64;
  return s;
}

/// What a rerun tells the process that asked for it.
std::string rerun(const scenario::Loaded& loaded, const Trial& trial, bool doubled) {
  auto s = spelled_out(loaded.scenario);
  bool changed = false;
  for (const auto& change : trial.changes) changed = apply(s, change, doubled) || changed;
  nlohmann::json out;
  out["problem"] = changed ? "" : "at its bound";
  if (!changed) return out.dump();
  if (const auto problems = scenario::check(s); !problems.empty()) {
    out["problem"] = problems.front().message;
    return out.dump();
  }
  platform::RunOptions options;
  options.captures = loaded.captures;
  const auto results = platform::run(s, options);
  if (!results) {
    out["problem"] = results.error().front().message;
    return out.dump();
  }
  if (results->deadlock) out["problem"] = "deadlock";
  out["window"] = results->window.count();
  for (const auto& t : results->traffic)
    out["flows"].push_back({t.delivered_packets, t.latency.count(), t.latency.quantile(990'000).count()});
  return out.dump();
}

/// (now / before - 1) in percent.
Decimal change(WideInt now, WideInt before) {
  if (before == 0) return now == 0 ? Decimal{0, places} : Decimal{1'000'000, places};
  const auto ratio = observe::quotient(now * 100, before, places);
  return {ratio.digits - 100 * one_percent, places};
}

observe::Rerun read_rerun(const ChildEnd& end, const observe::Results& base) {
  observe::Rerun run;
  const auto json = nlohmann::json::parse(end.output, nullptr, false);
  if (!end.crash.empty() || !json.is_object()) {
    run.problem = "crashed: " + end.crash;
    return run;
  }
  run.problem = json.at("problem").get<std::string>();
  if (!json.contains("flows")) return run;
  const auto window = json.at("window").get<std::int64_t>();
  for (std::size_t n = 0; n < base.traffic.size(); ++n) {
    const auto& before = base.traffic[n];
    const auto& now = json.at("flows")[n];
    observe::FlowChange flow{before.name};
    // Of what was handed over: payload that came as far as a memory which cannot take it does not count.
    flow.goodput_percent = change(static_cast<WideInt>(now[0].get<std::int64_t>()) * base.window.count(),
                                  static_cast<WideInt>(before.delivered_packets) * window);
    if (now[1] > 0 && before.latency.count() > 0)
      flow.p99_percent = change(now[2].get<std::int64_t>(), before.latency.quantile(990'000).count());
    run.flows.push_back(std::move(flow));
  }
  return run;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Where the value of a number comes from: "assumed: ...", "data sheet", "" of a default without a source.
std::string source_of(const scenario::Loaded& loaded, const std::string& pointer) {
  const auto found = loaded.origins.find(pointer);
  return found == loaded.origins.end() ? "" : found->second.source;
}

std::vector<Trial> suspect_trials(const scenario::Loaded& loaded, const observe::Results& results, std::size_t most) {
  const auto s = spelled_out(loaded.scenario);
  std::map<std::string, Number> by_pointer;
  for (auto& number : numbers(s)) by_pointer[number.pointer] = number;
  std::vector<Trial> trials;
  for (auto& suspect : suspects(s, results, 200)) {
    Trial trial{{suspect.name, "", ""}, {}};
    std::vector<std::string> keys;
    std::set<std::string> sources;
    for (const auto& c : suspect.changes) {
      const auto number = by_pointer.find(c.pointer);
      if (number == by_pointer.end()) continue;
      auto more = s, less = s;
      if (!apply(more, c, true) && !apply(less, c, false)) continue;
      trial.changes.push_back(c);
      keys.push_back(number->second.key);
      if (const auto source = source_of(loaded, c.pointer); !source.empty()) sources.insert(source);
    }
    if (trial.changes.empty()) continue;
    trial.row.keys = joined(keys);
    trial.row.source = joined({sources.begin(), sources.end()});
    trials.push_back(std::move(trial));
    if (trials.size() == most) break;
  }
  return trials;
}

/// The same option of all devices of a kind is one assumption.
std::vector<Trial> assumption_trials(const scenario::Loaded& loaded) {
  std::vector<Trial> trials;
  for (const auto& number : numbers(loaded.scenario)) {
    const auto source = source_of(loaded, number.pointer);
    if (!source.starts_with("assumed")) continue;
    auto found = std::ranges::find_if(
        trials, [&](const Trial& t) { return t.row.name == number.option && t.row.source == source; });
    if (found == trials.end()) {
      trials.push_back({{number.option, "", source}, {}});
      found = trials.end() - 1;
    }
    found->changes.push_back({number.pointer});
    found->row.keys += (found->row.keys.empty() ? "" : ", ") + number.key;
  }
  return trials;
}

Decimal weight_of(const WhatIfRow& row) {
  std::int64_t most = 0;
  const auto take = [&most](Decimal d) { most = std::max(most, d.digits < 0 ? -d.digits : d.digits); };
  for (const auto* run : {&row.doubled, &row.halved})
    for (const auto& flow : run->flows) {
      take(flow.goodput_percent);
      if (flow.p99_percent) take(*flow.p99_percent);
    }
  return {most, places};
}

/// Most that any entry gains in goodput by it.
const observe::FlowChange* gain_of(const WhatIfRow& row) {
  const observe::FlowChange* best = nullptr;
  for (const auto& flow : row.doubled.flows)
    if (best == nullptr || flow.goodput_percent.digits > best->goodput_percent.digits) best = &flow;
  return best;
}

/// The suspect that a sentence names, if it was tried.
const WhatIfRow* named_by(const observe::WhatIf& what_if, const std::string& limit) {
  const WhatIfRow* found = nullptr;
  for (const auto& row : what_if.suspects)
    if (is_limit(row.name, limit) && (found == nullptr || row.name.size() > found->name.size())) found = &row;
  return found;
}

/// What the reruns show to hold traffic back: what, doubled, gives most. Of those that give about as much the one that
/// the results named. nullptr if nothing does by itself.
const WhatIfRow* limit_of(const observe::WhatIf& what_if, const WhatIfRow* named) {
  std::int64_t most = 0;
  for (const auto& row : what_if.suspects)
    if (const auto* gain = gain_of(row); gain != nullptr && row.name != Suspect::arrival)
      most = std::max(most, gain->goodput_percent.digits);
  if (most < one_percent) return nullptr;
  const WhatIfRow* limit = nullptr;
  for (const auto& row : what_if.suspects) {
    const auto* gain = gain_of(row);
    if (gain == nullptr || row.name == Suspect::arrival || gain->goodput_percent.digits * 10 < most * 9) continue;
    if (&row == named) return &row;
    if (limit == nullptr) limit = &row;
  }
  return limit;
}

/// The sentence says what the reruns have shown.
void conclude(observe::Results& results, const scenario::Scenario& scenario) {
  if (results.deadlock || results.limit == Suspect::arrival) return;
  const auto* named = named_by(*results.what_if, results.limit);
  const auto* limit = limit_of(*results.what_if, named);
  if (limit == nullptr) {
    results.bottleneck += "; doubling any single one of them has no effect";
    return;
  }
  const auto* gain = gain_of(*limit);
  const auto much = " gives " + gain->traffic + " " +
                    to_string(observe::quotient(gain->goodput_percent.digits, one_percent, 1)) + " % more";
  const auto shown = "; doubled, it" + much;
  if (limit == named) {
    results.bottleneck += shown;
  } else if (results.limit.ends_with(down)) {  // of what an event takes away there is no double
    results.bottleneck += "; twice the " + limit->name + much;
  } else {
    results.bottleneck = limit->name + shown + "; not " + results.limit;
    results.limit = limit->name;
  }
  for (std::size_t n = 0; n < scenario.expect.size() && n < results.expectations.size(); ++n)
    if (scenario.expect[n].metric == scenario::Expectation::bottleneck)
      results.expectations[n] = *observe::judge(results, scenario.expect[n]);
}

}  // namespace

bool prove(observe::Results& results, const scenario::Loaded& loaded, const WhatIfOptions& options) {
  auto trials = suspect_trials(loaded, results, options.suspects);
  const auto suspected = trials.size();
  for (auto& trial : assumption_trials(loaded)) trials.push_back(std::move(trial));
  std::size_t done = 0;
  ChildPool pool;
  pool.jobs = options.jobs;
  pool.work = [&](std::size_t n) { return rerun(loaded, trials[n / 2], n % 2 == 0); };
  pool.ended = [&](std::size_t n, const ChildEnd& end) {
    auto& row = trials[n / 2].row;
    (n % 2 == 0 ? row.doubled : row.halved) = read_rerun(end, results);
    if (options.progress) options.progress(++done, trials.size() * 2);
  };
  pool.stop = options.stop;
  run_children(trials.size() * 2, pool);
  if (options.stop && options.stop()) return false;

  auto& what_if = results.what_if.emplace();
  for (std::size_t n = 0; n < trials.size(); ++n) {
    auto& row = trials[n].row;
    row.weight = weight_of(row);
    if (n < suspected)
      what_if.suspects.push_back(std::move(row));
    else if (row.weight.digits >= one_percent)
      what_if.assumptions.push_back(std::move(row));
    else
      ++what_if.without_weight;
  }
  std::ranges::stable_sort(what_if.assumptions,
                           [](const WhatIfRow& a, const WhatIfRow& b) { return a.weight.digits > b.weight.digits; });
  conclude(results, loaded.scenario);
  return true;
}

}  // namespace peerpath::cli
