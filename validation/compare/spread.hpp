// How far two machines of a kind, or two runs on one, lie apart: the same points of two datasets.
#pragma once

#include <string>
#include <vector>

#include "validation/compare/split.hpp"

namespace peerpath::compare {

struct SpreadRow {
  std::string experiment, curve;  ///< curve: "read_outstanding, request 64"
  std::string axis;
  std::int64_t at = 0;           ///< on the axis
  double first = 0, second = 0;  ///< medians, ns
  std::int64_t bytes = 0;

  /// Relative difference of the second's time to the first's.
  double difference() const { return second / first - 1; }
};

/// Of some points: absolute relative differences.
struct SpreadScore {
  std::size_t points = 0;
  double median = 0, p95 = 0, worst = 0;
};

struct Spread {
  std::string first, second;  ///< files
  std::vector<SpreadRow> rows;
  std::size_t only_in_one = 0;  ///< points that the other dataset lacks
};

Spread spread_of(const Dataset& first, const Dataset& second);
SpreadScore score_of(const std::vector<SpreadRow>& rows);

/// A line an experiment, copies_together point by point in GB/s, and all together.
std::string to_text(const Spread& spread);
/// Every point.
std::string to_json(const Spread& spread);

}  // namespace peerpath::compare
