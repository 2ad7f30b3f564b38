#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "study/sweep_axis.hpp"
#include "study/text/split_list.hpp"

namespace peerpath::study {
namespace {

/// A decimal number in units of 1e-9, so that steps of 0.1 are exact, and what stands behind it.
struct Amount {
  std::int64_t nano = 0;
  std::string unit;
};
constexpr std::int64_t one = 1'000'000'000;

std::optional<Amount> amount(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789.-"), text.size());
  const auto number = text.substr(0, end);
  const auto point = std::min(number.find('.'), number.size());
  std::int64_t before = 0, after = 0;
  const auto digits = [](std::string_view part, std::int64_t& out) {
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), out);
    return error == std::errc{} && stop == part.data() + part.size();
  };
  if (!digits(number.substr(0, point), before) || before < -1'000'000 || before > 1'000'000'000) return std::nullopt;
  if (point < number.size()) {
    auto places = std::string{number.substr(point + 1)};
    if (places.empty() || places.size() > 9 || places.front() == '-') return std::nullopt;
    places.resize(9, '0');
    if (!digits(places, after)) return std::nullopt;
  }
  return Amount{before * one + (number.starts_with("-") ? -after : after), std::string{text.substr(end)}};
}

std::string spelt(std::int64_t nano, const std::string& unit) {
  auto text = std::string{nano < 0 ? "-" : ""} + std::to_string(std::abs(nano) / one);
  if (auto places = std::to_string(one + std::abs(nano) % one).substr(1); places.find_first_not_of('0') != places.npos)
    text += "." + places.erase(places.find_last_not_of('0') + 1);
  return text + unit;
}

tl::expected<std::vector<std::string>, std::string> range(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return tl::unexpected{"the range \"" + std::string{text} + "\" " + why +
                          "; ranges are 1..8, 0..100:10 (by 10) or 64B..4096B*2 (times 2)"};
  };
  const auto dots = text.find("..");
  const auto by = std::min(text.find_first_of(":*", dots), text.size());
  const auto first = amount(text.substr(0, dots)), last = amount(text.substr(dots + 2, by - dots - 2));
  if (!first || !last) return wrong("has bounds that are not numbers");
  if (first->unit != last->unit) return wrong("has bounds with different units");
  const bool times = by < text.size() && text[by] == '*';
  const auto step = by < text.size() ? amount(text.substr(by + 1)) : Amount{one, first->unit};
  if (!step || (times ? !step->unit.empty() || step->nano <= one || first->nano <= 0
                      : step->nano <= 0 || (step->unit != first->unit && !step->unit.empty())))
    return wrong("has an invalid step");
  if (last->nano < first->nano) return wrong("goes down");
  std::vector<std::string> values;
  for (auto at = first->nano; at <= last->nano;) {
    if (values.size() >= most_sweep_points) return wrong("has more than 1000000 values");
    values.push_back(spelt(at, first->unit));
    const auto next = times ? static_cast<WideInt>(at) * step->nano / one : static_cast<WideInt>(at) + step->nano;
    if (next > last->nano) break;
    at = static_cast<std::int64_t>(next);
  }
  return values;
}

}  // namespace

tl::expected<std::vector<std::string>, std::string> sweep_values(std::string_view text) {
  std::vector<std::string> values;
  for (const auto& item : split_list(text, ',')) {
    if (item.empty()) return tl::unexpected{"\"" + std::string{text} + "\" has an empty value"};
    const bool is_range = item.find("..") != item.npos && item.find_first_of("\"[{") == item.npos;
    if (!is_range) {
      values.push_back(item);
      continue;
    }
    const auto found = range(item);
    if (!found) return tl::unexpected{found.error()};
    values.insert(values.end(), found->begin(), found->end());
  }
  return values;
}

}  // namespace peerpath::study
