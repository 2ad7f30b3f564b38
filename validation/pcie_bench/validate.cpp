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

Problems read_hosts(const Options& options, std::vector<HostData>& hosts) {
  Problems problems;
  for (const auto& folder : find_hosts(options.data)) {
    if (options.host && folder.filename().string().find(*options.host) == std::string::npos) continue;
    auto host = load_host(folder);
    if (host)
      hosts.push_back(std::move(*host));
    else
      problems.insert(problems.end(), host.error().begin(), host.error().end());
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
  std::string names;
  for (const auto& host : hosts) names += (names.empty() ? "" : ", ") + host.name;
  return "Output of `peerpath validate pcie-bench --refit-card`: NLopt Nelder-Mead on six times, every whole byte "
         "tried for "
         "tlp_gap, read_latency and completion_step of each host fitted along, in rounds until the sum changes by less "
         "than "
         "0.2 %. Minimised: squares of weighted relative errors at (size, weight) " +
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

Outcome validate(const Options& options, const Say& say) {
  std::vector<HostData> hosts;
  if (auto problems = read_hosts(options, hosts); !problems.empty()) return wrong_input(std::move(problems));
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
  return {all_passed(reports) ? 0 : 1, options.json ? to_json(card, reports) : to_text(card, reports), {}};
}

}  // namespace peerpath::pcie_bench
