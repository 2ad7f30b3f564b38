#include "validation/compare/spread.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace peerpath::compare {
namespace {

using nlohmann::ordered_json;

std::string file_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

std::string line(const std::string& name, const SpreadScore& score) {
  return fmt::format("  {:<26} {:>6} {:>8.1f} {:>8.1f} {:>8.1f}\n", name, score.points, 100 * score.median,
                     100 * score.p95, 100 * score.worst);
}

ordered_json score_json(const SpreadScore& score) {
  return {{"points", score.points}, {"median", score.median}, {"p95", score.p95}, {"worst", score.worst}};
}

}  // namespace

Spread spread_of(const Dataset& first, const Dataset& second) {
  Spread spread{file_name(first.file), file_name(second.file), {}, 0};
  const auto others = curves_of(second);
  std::size_t in_second = second.points.size();
  for (const auto& curve : curves_of(first)) {
    const auto other = std::ranges::find(others, curve.name, &Curve::name);
    for (const auto& point : curve.points) {
      const auto same = [&](const Point& candidate) { return candidate.settings == point.settings; };
      const auto end = other == others.end() ? curve.points.end() : other->points.end();
      const auto found = other == others.end() ? end : std::ranges::find_if(other->points, same);
      if (found == end) {
        ++spread.only_in_one;
        continue;
      }
      --in_second;
      spread.rows.push_back(
          {point.experiment, curve.name, curve.axis, point.at(curve.axis), point.median, found->median, point.bytes});
    }
  }
  spread.only_in_one += in_second;
  return spread;
}

SpreadScore score_of(const std::vector<SpreadRow>& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.push_back(std::abs(row.difference()));
  if (all.empty()) return {};
  std::ranges::sort(all);
  const auto rank = [&](double share) {
    return all[static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1];
  };
  return {all.size(), rank(0.5), rank(0.95), all.back()};
}

std::string to_text(const Spread& spread) {
  auto text = fmt::format("\nspread: {} against {}, difference of medians\n  {:<26} {:>6} {:>8} {:>8} {:>8}\n",
                          spread.second, spread.first, "experiment", "points", "median %", "95 % <", "worst %");
  std::vector<SpreadRow> same;
  for (std::size_t n = 0; n < spread.rows.size(); ++n) {
    same.push_back(spread.rows[n]);
    if (n + 1 < spread.rows.size() && spread.rows[n + 1].experiment == same.front().experiment) continue;
    text += line(same.front().experiment, score_of(same));
    same.clear();
  }
  text += line("all", score_of(spread.rows));
  for (const auto& row : spread.rows)
    if (row.experiment == together)
      text += fmt::format("  {}, {} {}: {:.1f} and {:.1f} GB/s, {:+.1f} %\n", row.curve, row.axis, row.at,
                          static_cast<double>(row.bytes) / row.first, static_cast<double>(row.bytes) / row.second,
                          100 * (row.first / row.second - 1));
  if (spread.only_in_one > 0) text += fmt::format("  {} points are in one of the two only\n", spread.only_in_one);
  return text;
}

std::string to_json(const Spread& spread) {
  ordered_json json{{"first", spread.first},
                    {"second", spread.second},
                    {"all", score_json(score_of(spread.rows))},
                    {"only_in_one", spread.only_in_one}};
  json["points"] = ordered_json::array();
  for (const auto& row : spread.rows)
    json["points"].push_back({{"curve", row.curve},
                              {"axis", row.axis},
                              {"at", row.at},
                              {"first_ns", row.first},
                              {"second_ns", row.second},
                              {"difference", row.difference()}});
  return json.dump(2) + "\n";
}

}  // namespace peerpath::compare
