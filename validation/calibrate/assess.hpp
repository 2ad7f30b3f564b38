// Predicts a whole dataset with fitted parameters and holds each point against what was measured.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "validation/calibrate/contention.hpp"
#include "validation/calibrate/fit.hpp"
#include "validation/calibrate/link_bytes.hpp"
#include "validation/compare/split.hpp"

namespace peerpath::calibrate {

struct Row {
  std::int64_t at = 0;                                   ///< on the curve's axis
  double measured = 0, predicted = 0, p10 = 0, p90 = 0;  ///< ns
  std::int64_t bytes = 0;
  bool fitted = false;
  double scenario = 0;          ///< ns, of the scenario with the preset; 0: not played
  std::vector<double> again{};  ///< ns, measured in other takes of the same machine

  double error() const { return predicted / measured - 1; }
  double scenario_error() const { return scenario / measured - 1; }
  double from_law() const { return scenario / predicted - 1; }
  /// Relative difference of the takes that differ most, the shorter being the whole.
  double unrepeated() const;
  bool within_spread() const { return p10 <= predicted && predicted <= p90; }
};

struct CurveRows {
  std::string name, axis, law;
  std::vector<Row> rows;
};

/// Held-out points only: none of them was seen by the fit.
struct Score {
  std::size_t points = 0, within_spread = 0;
  double median = 0, p95 = 0, worst = 0;  ///< absolute relative errors
};

inline constexpr double most_median = 0.04, most_p95 = 0.10;

/// The same points by the scenario with the preset, beside the laws; and those that only it predicts.
struct ScenarioScore {
  std::size_t points = 0;       ///< with a law; 0: nothing was played
  double worst_from_laws = 0;   ///< largest absolute relative difference from what the laws say
  std::string worst_place{};    ///< where that is
  double median = 0, laws = 0;  ///< absolute relative errors of what is held out, by the scenario and by the laws
  std::size_t mixed = 0;        ///< points without a law
  double mixed_median = 0, mixed_worst = 0;
  std::size_t repeated = 0;  ///< of the mixed points: all takes lie within `most_unrepeated` of each other
  double repeated_median = 0, repeated_worst = 0;
  std::vector<std::string> unrepeated{};  ///< those that do not: no sound measurement, whatever a model says

  /// Mixed points count where they repeat, if there is another take; all of them if there is none.
  bool passed() const;
};

inline constexpr double most_from_laws = 0.015, most_worse = 0.005, most_mixed_median = 0.05, most_mixed_worst = 0.15,
                        most_unrepeated = 0.15;

struct Assessment {
  Calibration calibration;
  std::string dataset, gpu, started;
  std::vector<CurveRows> curves;
  std::vector<std::string> not_modelled;  ///< experiments measured, with no law
  std::size_t measured = 0;               ///< points in all
  std::size_t fitted = 0;                 ///< of them; none where the calibration was fitted to another dataset
  Score score;
  Contention contention;
  std::vector<CurveRows> mixed;  ///< without a law, played as scenarios
  ScenarioScore scenario;
  std::vector<LinkBytesRow> link_bytes;  ///< the ledger beside the GPU's counters, where it was asked for them
  bool link_bytes_equal() const {
    return std::ranges::all_of(
        link_bytes, [](const auto& row) { return std::max(row.error(), -row.error()) <= most_link_bytes_error; });
  }
  /// At most a third of the points fitted, the rest within the tolerances above, and so several GPUs together.
  bool passed() const {
    return score.points > 0 && 3 * fitted <= measured && score.median <= most_median && score.p95 <= most_p95 &&
           contention.passed() && scenario.passed() && link_bytes_equal();
  }
};

/// Plays every point as a scenario with that preset, and adds what comes of it. `say` is told of each curve.
void play_scenarios(Assessment& assessment, const compare::Dataset& dataset, const std::string& preset,
                    const std::function<void(const std::string&)>& say = {});

/// Adds what other takes of the same machine say of the mixed points: what no model can be asked to beat.
void add_takes(Assessment& assessment, std::span<const compare::Dataset> others);

Assessment assess(const compare::Dataset& dataset, const Calibration& calibration);

/// Value below which 95 % (share) of the errors lie; `errors` in any order.
Score score_of(const std::vector<CurveRows>& curves);

std::string to_text(const Assessment& assessment);
std::string to_json(const Assessment& assessment);

/// The estimates alone.
std::string to_text(const Calibration& calibration);

}  // namespace peerpath::calibrate
