// What several takes of the same experiments differ by, and what that leaves to any prediction at all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validation/compare/dataset.hpp"

namespace peerpath::calibrate {

/// A point in every take: its least and its greatest median, ns.
struct Taken {
  std::string place;
  double least = 0, most = 0;

  /// Relative; the least is the whole.
  double spread() const { return most / least - 1; }
  /// One number for all takes is off by that at least for one of them: at 2 / (1 / least + 1 / most) by as much for
  /// both. No model enters into it. `moves`: the same of a prediction that may be that much greater for one take than
  /// for another, in the right direction.
  double least_error(double moves = 0) const {
    const auto ratio = most / least / (1 + moves);
    return ratio > 1 ? (ratio - 1) / (ratio + 1) : 0;
  }
};

struct Takes {
  std::size_t sets = 0;
  std::vector<Taken> told;   ///< with a law, and of those that a fit may see
  std::vector<Taken> mixed;  ///< without a law, predicted by scenarios alone
};

Takes takes_of(std::span<const compare::Dataset> sets);

/// Of the spreads of some points the one that so large a share of them does not exceed; 0 of none.
double spread_of(const std::vector<Taken>& points, double share);

/// How far both kinds differ, and the mixed points that nothing predicts within the tolerance for each take.
std::string to_text(const Takes& takes);
std::string to_json(const Takes& takes);

}  // namespace peerpath::calibrate
