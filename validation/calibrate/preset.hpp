// What a calibration leaves behind: all parameters with their intervals and where they come from. As a scenario to
// extend it stands in node.hpp.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/calibrate/fit.hpp"

namespace peerpath::calibrate {

/// Every parameter: value, interval, whether it is identifiable; dataset, rule of the split, numbers of points.
std::string calibration_json(const Calibration& calibration, const compare::Dataset& dataset);

/// Reads that back. Every parameter must be there and within its range.
tl::expected<Calibration, Problems> read_calibration(const std::string& text, const std::string& file);

/// Whether the third of this dataset that a fit may see is what the calibration was fitted to: measured at the same
/// time.
bool is_fitted_to(const Calibration& calibration, const compare::Dataset& dataset);

/// The sentence that says which measurements a calibration was fitted to.
std::string provenance(const Calibration& calibration, const compare::Dataset& dataset);

}  // namespace peerpath::calibrate
