#include "study/pcie/reruns.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "study/conclusion.hpp"
#include "study/pcie/numbers.hpp"
#include "study/pcie/suspects.hpp"

namespace peerpath::study {
namespace {

using observe::Decimal;
using observe::WhatIfRow;

constexpr std::int64_t one_percent = change_of_one_percent;

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

/// Values that a run has although the scenario leaves them open, so that they can be changed: a GPU's transfers in
/// flight are counted for each of its entries.
scenario::Scenario spelled_out(scenario::Scenario s) {
  s.expect.clear();
  for (auto& device : s.devices) {
    auto* gpu = std::get_if<device::GpuConfig>(&device.config);
    if (gpu == nullptr) continue;
    if (!gpu->outstanding) gpu->outstanding = 64;
    for (auto& traffic : s.traffic)
      if (auto* dma = traffic.as<scenario::traffic::Dma>(); dma != nullptr && traffic.from == device.name)
        dma->outstanding = dma->outstanding.value_or(*gpu->outstanding);
  }
  return s;
}

/// Half of the width of the interval in which an entry's goodput lies, in bytes of the window; 0: none is known.
std::int64_t half_width(const observe::Results& results, const observe::TrafficResult& traffic) {
  for (const auto& interval : results.steady.intervals)
    if (interval.metric == traffic.name + ".goodput_gbps")
      return narrow(static_cast<WideInt>(interval.half_width.value() * 1e6) * results.window.count() /
                    8'000'000'000'000);
  return 0;
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
    out["flows"].push_back(
        {t.delivered_payload.count(), t.latency.count(), t.latency.quantile(990'000).count(), half_width(*results, t)});
  return out.dump();
}

observe::Rerun read_rerun(const std::string& text, const std::string& crash, const observe::Results& base) {
  observe::Rerun run;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!crash.empty() || !json.is_object()) {
    run.problem = "crashed: " + crash;
    return run;
  }
  run.problem = json.at("problem").get<std::string>();
  if (!json.contains("flows")) return run;
  const auto window = json.at("window").get<std::int64_t>();
  for (std::size_t n = 0; n < base.traffic.size(); ++n) {
    const auto& before = base.traffic[n];
    const auto& now = json.at("flows")[n];
    observe::FlowChange flow{before.name};
    const auto bytes = now[0].get<std::int64_t>(), known_to = now[3].get<std::int64_t>();
    const auto scaled = static_cast<WideInt>(before.delivered_payload.count()) * window;
    flow.goodput_percent = change(static_cast<WideInt>(bytes) * base.window.count(), scaled);
    // Both runs are known to some width: of the ratio of two numbers the relative widths add up.
    flow.half_width =
        observe::quotient(static_cast<WideInt>(known_to) * base.window.count() * 100, scaled, change_places);
    if (before.delivered_payload > Bytes{})
      flow.half_width.digits += observe::quotient(static_cast<WideInt>(half_width(base, before)) * 100,
                                                  before.delivered_payload.count(), change_places)
                                    .digits *
                                (flow.goodput_percent.digits + 100 * one_percent) / (100 * one_percent);
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

/// The sentence says what the reruns have shown.
void conclude_limits(observe::Results& results, const scenario::Scenario& scenario) {
  if (results.deadlock || results.limits.empty()) return;
  draw_conclusion(results, Suspect::arrival);
  // A scenario expects the sentence as it is without reruns.
  std::vector<std::string> proofs;
  for (auto& limit : results.limits) proofs.push_back(std::exchange(limit.proof, {}));
  describe_limits(results);
  for (std::size_t n = 0; n < scenario.expect.size() && n < results.expectations.size(); ++n)
    if (scenario.expect[n].metric == scenario::Expectation::bottleneck)
      results.expectations[n] = *observe::judge(results, scenario.expect[n]);
  for (std::size_t n = 0; n < proofs.size(); ++n) results.limits[n].proof = std::move(proofs[n]);
  describe_limits(results);
}

class PcieReruns final : public Reruns {
 public:
  PcieReruns(observe::Results& results, const scenario::Loaded& loaded, std::size_t suspects)
      : results_{results}, loaded_{loaded} {
    const auto named = std::max<std::size_t>(results.limits.size(), 1);  // each is tried
    trials_ = suspect_trials(loaded, results, suspects - 1 + named);
    suspected_ = trials_.size();
    for (auto& trial : assumption_trials(loaded)) trials_.push_back(std::move(trial));
  }
  std::size_t count() const override { return trials_.size() * 2; }
  std::string play(std::size_t n) const override { return rerun(loaded_, trials_[n / 2], n % 2 == 0); }
  void note(std::size_t n, const std::string& text, const std::string& crash) override {
    auto& row = trials_[n / 2].row;
    (n % 2 == 0 ? row.doubled : row.halved) = read_rerun(text, crash, results_);
  }
  void conclude() override {
    auto& what_if = results_.what_if.emplace();
    for (std::size_t n = 0; n < trials_.size(); ++n) {
      auto& row = trials_[n].row;
      row.weight = weight_of(row);
      if (n < suspected_)
        what_if.suspects.push_back(std::move(row));
      else if (row.weight.digits >= one_percent)
        what_if.assumptions.push_back(std::move(row));
      else
        ++what_if.without_weight;
    }
    std::ranges::stable_sort(what_if.assumptions,
                             [](const WhatIfRow& a, const WhatIfRow& b) { return a.weight.digits > b.weight.digits; });
    order_suspects(what_if, Suspect::arrival);
    conclude_limits(results_, loaded_.scenario);
  }

 private:
  observe::Results& results_;
  const scenario::Loaded& loaded_;
  std::vector<Trial> trials_;
  std::size_t suspected_ = 0;
};

}  // namespace

std::unique_ptr<Reruns> pcie_reruns(observe::Results& results, const scenario::Loaded& loaded, std::size_t suspects) {
  return std::make_unique<PcieReruns>(results, loaded, suspects);
}

}  // namespace peerpath::study
