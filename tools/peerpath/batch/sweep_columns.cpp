#include "tools/peerpath/batch/sweep_columns.hpp"

#include <algorithm>
#include <set>

#include "peerpath/base/glob.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::cli {

tl::expected<std::vector<std::string>, std::string> chosen_columns(const std::vector<std::string>& patterns,
                                                                   const std::vector<std::string>& metrics) {
  auto known = text_columns;
  known.insert(known.end(), metrics.begin(), metrics.end());
  std::vector<std::string> chosen;
  std::set<std::string> taken;
  for (const auto& pattern : patterns) {
    bool any = false;
    for (const auto& name : known) {
      if (!fits_pattern(pattern, name)) continue;
      any = true;
      if (taken.insert(name).second) chosen.push_back(name);
    }
    if (any) continue;
    const auto meant = scenario::did_you_mean(pattern, known);
    return tl::unexpected{"--columns: no metric of this sweep is called \"" + pattern + "\"" +
                          (meant.empty() ? "; `peerpath list metrics SCENARIO` prints all" : meant)};
  }
  return chosen;
}

std::vector<std::string> metrics_of_sweep(const std::vector<std::string>& patterns, const study::Varied& subject,
                                          const std::vector<study::SweepAxis>& axes) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& overrides) {
    for (auto& name : subject.metrics(overrides)) names.insert(std::move(name));
    return chosen_columns(patterns, {names.begin(), names.end()}).has_value();
  };
  bool all = add({});
  for (std::size_t n = 0; n < axes.size() && !all; ++n)
    for (std::size_t step = 0; step < axes[n].steps.size() && !all; ++step) {
      std::vector<std::string> overrides;
      for (std::size_t other = 0; other < axes.size(); ++other) {
        const auto& of = axes[other].steps[other == n ? step : 0].overrides;
        overrides.insert(overrides.end(), of.begin(), of.end());
      }
      all = add(overrides);
    }
  return {names.begin(), names.end()};
}

}  // namespace peerpath::cli
