#include "study/network/reruns.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "peerpath/observe/finish.hpp"
#include "platform/network/limits.hpp"
#include "study/conclusion.hpp"
#include "study/network/suspects.hpp"

namespace peerpath::study {
namespace {

using observe::Decimal;
using observe::Results;

/// The metrics by which an entry is judged.
struct Judged {
  std::string entry;
  std::string speed;    ///< goodput, or the time of an entry that takes its time once
  std::string latency;  ///< the tail; "" if it has none
  bool is_time = false;
};

std::vector<Judged> judged_entries(const network_scenario::NetworkScenario& s) {
  std::vector<Judged> all;
  for (const auto& e : s.rdma) all.push_back({e.name, e.name + ".goodput_gbps", e.name + ".latency_p99_us", false});
  for (const auto& e : s.tcp)
    if (e.bytes > Bytes{})
      all.push_back({e.name, e.name + ".time_p50_us", e.name + ".time_p99_us", true});
    else
      all.push_back({e.name, e.name + ".goodput_gbps", "", false});
  for (const auto& e : s.collectives) all.push_back({e.name, e.name + ".time_us", "", true});
  for (const auto& e : s.traces) all.push_back({e.name, e.name + ".time_us", "", true});
  return all;
}

const observe::Metric* found(const Results& results, const std::string& name) {
  const auto* metric = name.empty() ? nullptr : find_metric(results, name);
  return metric == nullptr || !metric->value ? nullptr : metric;
}

/// In units of a metric's last place; all metrics of a name have as many.
std::int64_t digits(const Results& results, const std::string& name) {
  const auto* metric = found(results, name);
  return metric == nullptr ? 0 : metric->value->digits;
}

std::int64_t half_width(const Results& results, const std::string& name) {
  const auto* metric = found(results, name);
  if (metric == nullptr || !metric->half_width) return 0;
  auto width = *metric->half_width;
  for (; width.places < metric->value->places; ++width.places) width.digits *= 10;
  for (; width.places > metric->value->places; --width.places) width.digits = (width.digits + 9) / 10;
  return width.digits;
}

std::string rerun_network(const network_scenario::Loaded& loaded, scenario::LoadOptions files,
                          const std::vector<std::string>& changes) {
  files.overrides.insert(files.overrides.end(), changes.begin(), changes.end());
  files.overrides.emplace_back("expect=[]");
  nlohmann::json out;
  out["problem"] = "";
  const auto again = network_scenario::load(loaded.file, files);
  if (!again || !*again) {
    out["problem"] = again ? again->error().front().message : "cannot be read again";
    return out.dump();
  }
  const auto outcome = network_run::run(**again);
  if (!outcome) {
    out["problem"] = outcome.error().front().message;
    return out.dump();
  }
  if (outcome->results.deadlock) out["problem"] = "deadlock";
  for (const auto& j : judged_entries(loaded.scenario))
    out["flows"].push_back({digits(outcome->results, j.speed), half_width(outcome->results, j.speed),
                            digits(outcome->results, j.latency)});
  return out.dump();
}

observe::Rerun read_network_rerun(const std::string& text, const std::string& crash,
                                  const network_scenario::NetworkScenario& s, const Results& base) {
  observe::Rerun run;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!crash.empty() || !json.is_object()) {
    run.problem = "crashed: " + crash;
    return run;
  }
  run.problem = json.at("problem").get<std::string>();
  if (!json.contains("flows")) return run;
  const auto judged = judged_entries(s);
  for (std::size_t n = 0; n < judged.size(); ++n) {
    const auto before = digits(base, judged[n].speed), now = json["flows"][n][0].get<std::int64_t>();
    observe::FlowChange flow{judged[n].entry};
    flow.goodput_percent = judged[n].is_time ? change(before, now) : change(now, before);
    if (before > 0 && now > 0) {
      const auto widths = [](std::int64_t width, std::int64_t of) {
        return observe::quotient(static_cast<WideInt>(width) * 100, of, change_places).digits;
      };
      const auto both =
          widths(half_width(base, judged[n].speed), before) + widths(json["flows"][n][1].get<std::int64_t>(), now);
      flow.half_width = {
          both * (flow.goodput_percent.digits + 100 * change_of_one_percent) / (100 * change_of_one_percent),
          change_places};
    }
    if (const auto tail = json["flows"][n][2].get<std::int64_t>(); tail > 0 && digits(base, judged[n].latency) > 0)
      flow.p99_percent = change(tail, digits(base, judged[n].latency));
    run.flows.push_back(std::move(flow));
  }
  return run;
}

std::string key_list(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class NetworkReruns final : public Reruns {
 public:
  NetworkReruns(network_run::Outcome& outcome, const network_scenario::Loaded& loaded,
                const scenario::LoadOptions& files, std::size_t suspects)
      : outcome_{outcome}, loaded_{loaded}, files_{files} {
    suspects_ =
        network_suspects(loaded, outcome, suspects - 1 + std::max<std::size_t>(outcome.results.limits.size(), 1));
    for (const auto& suspect : suspects_) rows_.push_back({suspect.name, key_list(suspect.keys), "", {}, {}, {}});
  }
  std::size_t count() const override { return rows_.size() * 2; }
  std::string play(std::size_t n) const override {
    const auto& suspect = suspects_[n / 2];
    return rerun_network(loaded_, files_, n % 2 == 0 ? suspect.doubled : suspect.halved);
  }
  void note(std::size_t n, const std::string& text, const std::string& crash) override {
    (n % 2 == 0 ? rows_[n / 2].doubled : rows_[n / 2].halved) =
        read_network_rerun(text, crash, loaded_.scenario, outcome_.results);
  }
  void conclude() override {
    auto& results = outcome_.results;
    auto& what_if = results.what_if.emplace();
    for (auto& row : rows_) {
      row.weight = weight_of(row);
      what_if.suspects.push_back(std::move(row));
    }
    order_suspects(what_if, NetworkSuspect::arrival);
    if (results.deadlock || results.limits.empty()) return;
    draw_conclusion(results, NetworkSuspect::arrival);
    network_run::describe_limits(outcome_);
  }

 private:
  network_run::Outcome& outcome_;
  const network_scenario::Loaded& loaded_;
  const scenario::LoadOptions& files_;
  std::vector<NetworkSuspect> suspects_;
  std::vector<observe::WhatIfRow> rows_;
};

}  // namespace

std::unique_ptr<Reruns> network_reruns(network_run::Outcome& outcome, const network_scenario::Loaded& loaded,
                                       const scenario::LoadOptions& files, std::size_t suspects) {
  return std::make_unique<NetworkReruns>(outcome, loaded, files, suspects);
}

}  // namespace peerpath::study
