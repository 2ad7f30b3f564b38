// How far several takes of the same experiments lie apart, on one machine or on several, and what that leaves to any
// prediction at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "validation/compare/dataset.hpp"

namespace peerpath::calibrate {

/// What tells a point: a law that may have been fitted to it, a law alone, scenarios alone, or nothing.
enum class ToldBy : std::uint8_t { fit, law, scenario, nothing };

/// A point that every take has.
struct SpreadRow {
  std::string experiment, place;  ///< place: "read_outstanding, request 64, outstanding 8"
  ToldBy told_by = ToldBy::nothing;
  std::int64_t bytes = 0;
  std::vector<double> medians{};  ///< ns, in the order of the takes

  double least() const;
  double most() const;
  /// Relative; the least is the whole.
  double spread() const { return most() / least() - 1; }
  /// One number for all takes is off by that at least for one of them: at 2 / (1 / least + 1 / most) by as much for
  /// both. No model enters into it. `moves`: the same of a prediction that may be that much greater for one take than
  /// for another, in the right direction.
  double least_error(double moves = 0) const;
};

struct Spread {
  std::vector<std::string> files{};
  std::vector<SpreadRow> rows{};
  std::size_t not_in_all = 0;  ///< points that a take lacks

  std::vector<SpreadRow> rows_told_by(ToldBy what) const;
};

Spread spread_of(std::span<const compare::Dataset> takes);

/// Of the spreads of some points; 0 of none.
struct SpreadScore {
  std::size_t points = 0;
  double median = 0, p95 = 0, worst = 0;
};

SpreadScore score_of(const std::vector<SpreadRow>& rows);

/// A line an experiment and one for all of each kind, copies_together point by point in GB/s, and the mixed points that
/// nothing predicts within the tolerance for each take.
std::string to_text(const Spread& spread);
/// Every point.
std::string to_json(const Spread& spread);

}  // namespace peerpath::calibrate
