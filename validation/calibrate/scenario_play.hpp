// Plays measured points as scenarios: the calibrated node as `calibrate --preset` writes it, and traffic that does what
// the experiment did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "validation/compare/dataset.hpp"

namespace peerpath::calibrate {

class ScenarioPlay {
 public:
  /// `preset`: the text of a scenario without traffic, with `dram` and `gpu0`, `gpu1` ...
  explicit ScenarioPlay(std::string preset) : preset_{std::move(preset)} {}

  /// Whether there is traffic that does the same as the experiment.
  static bool plays(const compare::Point& point);

  /// Nanoseconds of one operation, as measured points have; nothing where no traffic does the same.
  std::optional<double> play(const compare::Point& point) const;

 private:
  std::string preset_;
};

}  // namespace peerpath::calibrate
