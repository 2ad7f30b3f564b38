#include "validation/calibrate/contention.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace peerpath::calibrate {

std::size_t Contention::points() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, &ContentionRow::counts));
}

std::size_t Contention::fitted() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, &ContentionRow::fitted));
}

double Contention::worst() const {
  double worst = 0;
  for (const auto& row : rows)
    if (row.counts() && !row.fitted) worst = std::max(worst, std::abs(row.error()));
  return worst;
}

Contention contention_of(const std::vector<compare::Curve>& curves, Model& model, const Parameters& parameters) {
  Contention contention;
  for (const auto& curve : curves)
    for (std::size_t place = 0; place < curve.points.size(); ++place) {
      const auto& point = curve.points[place];
      if (point.experiment != compare::together) continue;
      const auto ns = *model.predict(point, parameters);
      contention.rows.push_back({point.at("gpus"), point.at("ways"), point.rate(),
                                 static_cast<double>(point.bytes) / ns, curve.fitted[place]});
    }
  const bool several = std::ranges::any_of(contention.rows, [](const auto& row) { return row.gpus > 1; });
  return several ? contention : Contention{};
}

std::string ways_text(std::int64_t ways) {
  constexpr std::array names{"?", "to", "from", "both"};
  return names[ways > 0 && ways < 4 ? static_cast<std::size_t>(ways) : 0];
}

std::string verdict_text(const Contention& contention) {
  return fmt::format("{} of {} points fitted, the rest within {:.1f} % (allowed {:g}): {}", contention.fitted(),
                     contention.points(), 100 * contention.worst(), 100 * most_contention_error,
                     contention.passed() ? "pass" : "FAIL");
}

std::string to_text(const Contention& contention) {
  if (contention.rows.empty()) return "";
  auto text = fmt::format("\nseveral GPUs together, GB/s\n  {:>4} {:>5}   {:>9} {:>9} {:>8}\n", "gpus", "ways",
                          "measured", "predicted", "error");
  for (const auto& row : contention.rows)
    text += fmt::format("  {:>4} {:>5} {} {:>9.1f} {:>9.1f} {:>+7.1f}%{}\n", row.gpus, ways_text(row.ways),
                        row.fitted ? '*' : ' ', row.measured, row.predicted, 100 * row.error(),
                        row.counts() ? "" : "  (between)");
  return text + "  * fitted; (between): not of the 1, 2, 4 ... GPUs that are held to it\n  " +
         verdict_text(contention) + "\n";
}

}  // namespace peerpath::calibrate
