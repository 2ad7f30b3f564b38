#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

/// The number as JSON spells it, which is short and the same on every machine.
std::string spell(double number) {
  auto text = nlohmann::json(number).dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

void join(std::string& text, const std::string& more) {
  if (!text.empty()) text += ", ";
  text += more;
}

/// The sentence goes on after what is wanted, or ends there.
ExpectationResult judge_bottleneck(const Results& results, const scenario::Expectation& expectation) {
  ExpectationResult result{expectation.metric, "", {}, "", Verdict::failed, results.bottleneck};
  if (!expectation.is) return result;
  result.wanted = "is \"" + *expectation.is + "\"";
  const bool begins = results.bottleneck.starts_with(*expectation.is);
  const auto next = begins ? results.bottleneck.substr(expectation.is->size(), 1) : "";
  if (begins && (next.empty() || next == "," || next == ";" || next == ":" || next == " "))
    result.verdict = Verdict::ok;
  return result;
}

/// One of the warnings begins so.
ExpectationResult judge_warning(const Results& results, const scenario::Expectation& expectation) {
  auto warnings = results.steady.warnings;
  warnings.insert(warnings.end(), results.warnings.begin(), results.warnings.end());
  ExpectationResult result{expectation.metric, "", {}, "", Verdict::failed, warnings.empty() ? "none" : warnings[0]};
  if (!expectation.is) return result;
  result.wanted = "is \"" + *expectation.is + "\"";
  const auto found =
      std::ranges::find_if(warnings, [&](const auto& warning) { return warning.starts_with(*expectation.is); });
  if (found == warnings.end()) return result;
  result.said = *found;
  result.verdict = Verdict::ok;
  return result;
}

}  // namespace

std::optional<ExpectationResult> judge(const Results& results, const scenario::Expectation& expectation) {
  if (expectation.metric == scenario::Expectation::bottleneck) return judge_bottleneck(results, expectation);
  if (expectation.metric == scenario::Expectation::warning) return judge_warning(results, expectation);
  const auto* metric = find_metric(results, expectation.metric);
  if (metric == nullptr) return std::nullopt;
  ExpectationResult result{expectation.metric, "", metric->value, metric->unit, Verdict::ok};
  const double found = metric->value ? metric->value->value() : 0;
  bool ok = true;
  if (expectation.equals) {
    const double percent = expectation.within_percent.value_or(0);
    join(result.wanted, "= " + spell(*expectation.equals) + (percent > 0 ? " +-" + spell(percent) + " %" : ""));
    ok = ok && std::fabs(found - *expectation.equals) <= std::fabs(*expectation.equals) * (percent / 100);
  }
  if (expectation.at_least) {
    join(result.wanted, ">= " + spell(*expectation.at_least));
    ok = ok && found >= *expectation.at_least;
  }
  if (expectation.at_most) {
    join(result.wanted, "<= " + spell(*expectation.at_most));
    ok = ok && found <= *expectation.at_most;
  }
  // The loader refuses an expectation without a bound; one built in code must fail rather than pass unjudged.
  const bool bounded = expectation.equals || expectation.at_least || expectation.at_most;
  result.verdict = ok && bounded && metric->value ? Verdict::ok : Verdict::failed;
  return result;
}

}  // namespace peerpath::observe
