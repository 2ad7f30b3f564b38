#include "validation/pcie_bench/validate.hpp"

#include <algorithm>

#include "validation/pcie_bench/fit.hpp"
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
         "depends, at the least of its squares in closed form. Minimised: "
         "squares of weighted relative errors at "
         "(size, weight) " +
         points + ". Hosts: " + names +
         ". The card's structure was read off the curves of these same hosts, and sizes and weights were "
         "chosen while the model was made: see docs/validation.md";
}

}  // namespace

HostReport report_host(HostData data, const CardConstants& card) {
  HostReport report;
  report.constants = fit_host(data, card);
  report.residual = residual(data, card, report.constants);
  const auto fitted = fit_cases(data);
  for (const auto& point : data.points)
    report.predictions.push_back({point, play(point.which, data.setup, card, report.constants),
                                  std::ranges::find(fitted, point.which) != fitted.end()});
  report.criteria = judge(data.setup, report.predictions);
  report.data = std::move(data);
  return report;
}

void add_sweeps(std::vector<HostReport>& reports, const std::vector<HostData>& all, const CardConstants& card,
                const EffectConstants& effects, const Say& say) {
  const auto fitted_on = find_variants(all);
  const auto fitted = [&](const HostData& host, const Sweep& sweep) {
    if (sweep == wanted_fit_window() && !host.setup.remote_memory && (!host.setup.iommu || host.setup.super_pages))
      return true;  // by the card's constants
    return fitted_on && is_fitted(*fitted_on, host, sweep);
  };
  const auto base_of = [&](const HostData& host) -> const HostData* {
    for (const auto& other : all)
      if (machine_of(other.name) == machine_of(host.name) && !other.setup.iommu && !other.setup.remote_memory)
        return &other;
    return nullptr;
  };
  std::vector<SweepReport> done;  // a machine's plain directory may serve several others
  const auto predict = [&](const HostData& host) -> const SweepReport& {
    const auto known = std::ranges::find(done, host.name, [](const SweepReport& r) { return r.host->name; });
    if (known != done.end()) return *known;
    say("predicting the windows of " + host.name);
    // What the other socket and translation add are effects of their own, so the rest is as without them.
    const auto* base = host.setup.remote_memory || host.setup.iommu ? base_of(host) : nullptr;
    const auto constants = fit_host(base ? *base : host, card);
    SweepReport report{&host, {}};
    if (host.setup.cache > Bytes{})
      for (const auto& point : host.sweeps)
        report.predictions.push_back(
            {point, play(point.sweep, host.setup, card, constants, effects), fitted(host, point.sweep)});
    return done.emplace_back(std::move(report));
  };
  done.reserve(all.size() + reports.size());
  for (auto& report : reports) {
    const auto& mine = predict(report.data);
    const auto* base = base_of(report.data);
    const auto criteria = judge_sweeps(mine, base ? &predict(*base) : nullptr);
    report.criteria.insert(report.criteria.end(), criteria.begin(), criteria.end());
    report.sweeps = mine.predictions;
  }
}

Outcome validate(const Options& options, const Say& say) {
  std::vector<HostData> hosts, all;
  if (auto problems = read_hosts(options, hosts, all); !problems.empty()) return wrong_input(std::move(problems));
  if (options.refit_card) {
    const auto card = fit_card(hosts, [&](int round, double rms) {
      say("card fitted, round " + std::to_string(round) + ", residual " + std::to_string(100 * rms) + " %");
    });
    return {0, card_to_json(card, provenance(hosts)), {}};
  }
  CardConstants card;
  if (const auto kept = load_card(options.card))
    card = *kept;
  else
    return wrong_input(kept.error());
  std::vector<HostReport> reports;
  for (auto& host : hosts) {
    say("fitting and predicting " + host.name);
    reports.push_back(report_host(std::move(host), card));
  }
  std::optional<EffectConstants> effects;
  if (const auto variants = find_variants(all)) {
    say("fitting caches, sockets and translation");
    effects = fit_effects(*variants);
  }
  if (effects) add_sweeps(reports, all, card, *effects, say);
  return {all_passed(reports) ? 0 : 1,
          options.json ? to_json(card, effects, reports) : to_text(card, effects, reports),
          {}};
}

}  // namespace peerpath::pcie_bench
