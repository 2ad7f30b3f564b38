#include "validation/pcie_bench/validate.hpp"

#include <algorithm>

#include "validation/compare/in_parallel.hpp"
#include "validation/pcie_bench/fit.hpp"
#include "validation/pcie_bench/leave_one_out.hpp"
#include "validation/pcie_bench/preset.hpp"

namespace peerpath::pcie_bench {
namespace {

Outcome wrong_input(Problems problems) { return {2, "", std::move(problems)}; }

bool all_passed(const std::vector<HostReport>& reports) {
  return std::ranges::all_of(
      reports, [](const HostReport& report) { return std::ranges::all_of(report.criteria, &Criterion::passed); });
}

bool chosen(const Options& options, std::string_view name) {
  return !options.host || name.find(*options.host) != name.npos;
}

/// Those that are chosen, and in `all` the others too as far as they can be read.
Problems read_hosts(const Options& options, std::vector<HostData>& hosts, std::vector<HostData>& all) {
  Problems problems;
  for (const auto& folder : find_hosts(options.data)) {
    const bool wanted = chosen(options, folder.filename().string());
    auto host = load_host(folder);
    if (host) {
      if (host->setup.cache == Bytes{} && options.cache)
        host->setup.cache = *options.cache, host->setup.cache_from = "given";
      if (options.cache_ways) host->setup.cache_ways = *options.cache_ways;
      all.push_back(*host);
      if (wanted) hosts.push_back(std::move(*host));
    } else if (wanted) {
      problems.insert(problems.end(), host.error().begin(), host.error().end());
    }
  }
  if (hosts.empty() && problems.empty())
    problems.push_back({options.data.string(), 0, 0, "",
                        "no directory with results of pcie-bench here" +
                            (options.host ? " whose name contains " + *options.host : "")});
  return problems;
}

/// What a fitted preset says of itself, from what the fit did.
std::string provenance(const std::vector<HostData>& hosts) {
  std::string points;
  for (const auto& want : wanted_fit_cases()) {
    if (!points.empty()) points += ", ";
    points += std::string{name_of(want.test)} + " " + std::to_string(want.size.count()) + " B x" +
              std::to_string(weight(want.test)).substr(0, 4);
  }
  points += ", " + std::string{name_of(wanted_fit_window().which.test)} + " 64 B of the warm window of 2 MiB x" +
            std::to_string(weight(wanted_fit_window().which.test)).substr(0, 4);
  std::string names;
  for (const auto& host : hosts) names += (names.empty() ? "" : ", ") + host.name;
  return "Output of `peerpath validate pcie-bench --refit-card`: NLopt Nelder-Mead on five times, every whole byte "
         "tried for tlp_gap, read_latency and completion_step of each host fitted along, in rounds until the sum "
         "changes by less than 0.2 %, of which the best one is kept; then turnaround, on which LAT_DMA_WRRD alone "
         "depends, at the least of its squares in closed form, and command_path, on which LAT_CMD_* alone depend "
         "(8 and 64 B, local memory), where their largest error is least. Minimised: squares of weighted relative "
         "errors at "
         "(size, weight) " +
         points + ". Hosts: " + names +
         ". The card's structure was read off the curves of these same hosts, and sizes and weights were "
         "chosen while the model was made: see docs/validation.md";
}

}  // namespace

HostReport report_host(HostData data, const CardConstants& card, double cold_miss) {
  HostReport report;
  report.constants = fit_host(data, card);
  report.residual = residual(data, card, report.constants);
  auto fitted = fit_cases(data);
  fitted.insert(fitted.end(), command_fit_cases().begin(), command_fit_cases().end());
  for (const auto& point : data.points)
    report.predictions.push_back({point, play(point.which, data.setup, card, report.constants, cold_miss),
                                  std::ranges::find(fitted, point.which) != fitted.end()});
  report.criteria = judge(data.setup, report.predictions);
  report.data = std::move(data);
  return report;
}

void add_sweeps(std::vector<HostReport>& reports, const std::vector<HostData>& all, const CardConstants& card,
                const Options& options, const Say& say) {
  const Basis basis{.card = card};
  std::vector<SweepReport> done;  // a machine's plain directory may serve several others
  done.reserve(all.size() + reports.size());
  const auto predict = [&](const HostData& host, const HostEffects& effects) -> const SweepReport& {
    const auto known = std::ranges::find(done, host.name, [](const SweepReport& r) { return r.host->name; });
    if (known != done.end()) return *known;
    say("predicting the windows of " + host.name);
    const auto wanted = [&](const Sweep& sweep) { return !options.windows || options.windows(host.name, sweep); };
    auto& report = done.emplace_back(predict_sweeps(host, all, basis, effects, wanted));
    for (auto& p : report.predictions) p.fitted = p.fitted || is_fitted_by_card(host, p.point.sweep);
    return report;
  };
  for (auto& report : reports) {
    report.effects = fit_effects(report.data, all);
    if (!report.effects) continue;
    const auto& mine = predict(report.data, *report.effects);
    report.sweeps = mine.predictions;
    if (options.windows || !report.judges_windows()) continue;
    const auto* base = base_of(report.data, all);
    const auto criteria = judge_sweeps(mine, base ? &predict(*base, *fit_effects(*base, all)) : nullptr);
    report.criteria.insert(report.criteria.end(), criteria.begin(), criteria.end());
  }
}

tl::expected<Assessed, Problems> assess(const Options& options, const Say& say) {
  std::vector<HostData> hosts;
  Assessed assessed;
  if (auto problems = read_hosts(options, hosts, assessed.all); !problems.empty()) return tl::unexpected{problems};
  const auto card = load_card(options.card);
  if (!card) return tl::unexpected{card.error()};
  assessed.card = *card;
  for (const auto& host : hosts) say("fitting and predicting " + host.name);
  assessed.reports.resize(hosts.size());
  compare::in_parallel(hosts.size(), [&](std::size_t i) {
    const auto cold_miss = fit_cold_miss(hosts[i], assessed.all).value_or(EffectConstants{}.cold_miss);
    assessed.reports[i] = report_host(std::move(hosts[i]), assessed.card, cold_miss);
  });
  add_sweeps(assessed.reports, assessed.all, assessed.card, options, say);
  return assessed;
}

Outcome validate(const Options& options, const Say& say) {
  if (options.refit_card) {
    std::vector<HostData> hosts, all;
    if (auto problems = read_hosts(options, hosts, all); !problems.empty()) return wrong_input(std::move(problems));
    if (options.without)
      std::erase_if(hosts, [&](const HostData& h) { return machine_of(h.name).find(*options.without) != h.name.npos; });
    if (hosts.empty()) return wrong_input({{options.data.string(), 0, 0, "", "no host is left to fit the card to"}});
    const auto card = fit_card(hosts, [&](int round, double rms) {
      say("card fitted, round " + std::to_string(round) + ", residual " + std::to_string(100 * rms) + " %");
    });
    return {0, card_to_json(card, provenance(hosts)), {}};
  }
  const auto assessed = assess(options, say);
  if (!assessed) return wrong_input(assessed.error());
  const auto& [card, reports, all] = *assessed;
  if (options.leave_one_out) return leave_one_out(options, reports, all, say);
  return {all_passed(reports) ? 0 : 1, options.json ? to_json(card, reports) : to_text(card, reports), {}};
}

}  // namespace peerpath::pcie_bench
