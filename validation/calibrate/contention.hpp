// Copies by several GPUs at once (copies_together): how far the law of the host's limits holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/calibrate/model.hpp"
#include "validation/compare/split.hpp"

namespace peerpath::calibrate {

struct ContentionRow {
  std::int64_t gpus = 0, ways = 0;     ///< ways: 1 to the devices, 2 from them, 3 both
  double measured = 0, predicted = 0;  ///< GB/s of all GPUs together
  bool fitted = false;

  double error() const { return predicted / measured - 1; }
  /// 1, 2, 4 ... GPUs; the numbers between them are predicted and shown as well.
  bool counts() const { return (gpus & (gpus - 1)) == 0; }
};

inline constexpr double most_contention_error = 0.10;

/// Empty where the dataset is of one GPU.
struct Contention {
  std::vector<ContentionRow> rows;
  std::size_t fitted() const;
  std::size_t points() const;  ///< those that count, fitted or not
  /// Largest absolute relative error of what counts and was not fitted.
  double worst() const;
  bool passed() const { return worst() <= most_contention_error; }
};

Contention contention_of(const std::vector<compare::Curve>& curves, Model& model, const Parameters& parameters);

std::string ways_text(std::int64_t ways);

/// The table in GB/s and one line with the verdict; "" where there is nothing.
std::string to_text(const Contention& contention);
/// That line alone, without its end.
std::string verdict_text(const Contention& contention);

}  // namespace peerpath::calibrate
