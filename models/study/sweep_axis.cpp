#include "study/sweep_axis.hpp"

#include <algorithm>

#include "study/text/split_list.hpp"

namespace peerpath::study {
namespace {

/// MPS and MRRS are numbers of bytes in every tool that shows them.
std::string with_unit(const std::string& key, std::string value) {
  const bool bare = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
  if (bare && (key.ends_with(".mps") || key.ends_with(".mrrs"))) value += "B";
  return value;
}

std::vector<std::string> overrides_of(const std::vector<std::string>& keys, const std::string& value) {
  std::vector<std::string> overrides;
  for (const auto& key : keys) overrides.push_back(key + "=" + value);
  return overrides;
}

}  // namespace

tl::expected<SweepAxis, std::string> sweep_axis(const std::string& text, const Varied& subject) {
  SweepAxis axis;
  for (const auto& part : split_list(text, ';')) {
    const auto equals = part.find('=');
    if (equals == part.npos || equals == 0)
      return tl::unexpected{"\"" + part + "\" is not key=value,value such as links.*.generation=4,5"};
    const auto key = part.substr(0, equals);
    const auto values = sweep_values(std::string_view{part}.substr(equals + 1));
    if (!values) return tl::unexpected{key + ": " + values.error()};
    if (!axis.names.empty() && values->size() != axis.steps.size())
      return tl::unexpected{key + " has " + std::to_string(values->size()) + " values and " + axis.names.front() + " " +
                            std::to_string(axis.steps.size()) + "; lists that advance together must have equal length"};
    const auto keys = subject.keys(key, with_unit(key, values->front()));
    if (!keys) return tl::unexpected{keys.error()};
    axis.names.push_back(key);
    axis.steps.resize(values->size());
    for (std::size_t n = 0; n < values->size(); ++n) {
      const auto overrides = overrides_of(*keys, with_unit(key, (*values)[n]));
      axis.steps[n].values.push_back((*values)[n]);
      axis.steps[n].overrides.insert(axis.steps[n].overrides.end(), overrides.begin(), overrides.end());
    }
  }
  return axis;
}

tl::expected<SweepAxis, std::string> variant_axis(const std::vector<std::string>& texts, const Varied& subject) {
  SweepAxis axis{{"variant"}, {}};
  for (const auto& text : texts) {
    const auto colon = text.find(':');
    if (colon == text.npos || colon == 0 || text.find('=') < colon)
      return tl::unexpected{"\"" + text + "\" is not name:key=value,key=value such as far:links.gpu0.from=rc"};
    SweepStep step{{text.substr(0, colon)}, {}};
    if (std::ranges::find(axis.steps, step.values, &SweepStep::values) != axis.steps.end())
      return tl::unexpected{"two variants have the name \"" + step.values.front() + "\""};
    for (const auto& change : split_list(std::string_view{text}.substr(colon + 1), ',')) {
      if (change.empty() && colon + 1 == text.size()) break;
      const auto equals = change.find('=');
      if (equals == change.npos || equals == 0)
        return tl::unexpected{"\"" + change + "\" of variant \"" + step.values.front() + "\" is not key=value"};
      const auto key = change.substr(0, equals), value = with_unit(key, change.substr(equals + 1));
      const auto keys = subject.keys(key, value);
      if (!keys) return tl::unexpected{keys.error()};
      const auto overrides = overrides_of(*keys, value);
      step.overrides.insert(step.overrides.end(), overrides.begin(), overrides.end());
    }
    axis.steps.push_back(std::move(step));
  }
  return axis;
}

std::vector<SweepStep> sweep_points(const std::vector<SweepAxis>& axes) {
  std::vector<SweepStep> points(1);
  for (const auto& axis : axes) {
    std::vector<SweepStep> longer;
    for (const auto& point : points)
      for (const auto& step : axis.steps) {
        auto& next = longer.emplace_back(point);
        next.values.insert(next.values.end(), step.values.begin(), step.values.end());
        next.overrides.insert(next.overrides.end(), step.overrides.begin(), step.overrides.end());
      }
    points = std::move(longer);
  }
  return points;
}

}  // namespace peerpath::study
