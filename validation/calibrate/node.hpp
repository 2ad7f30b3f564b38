// A calibrated node as a scenario to extend: every parameter of the laws is a key of a device or link.
#pragma once

#include <string>

#include "validation/calibrate/fit.hpp"

namespace peerpath::calibrate {

/// Devices `rc`, `dram`, `gpu0`, `gpu1` ... of the dataset, each GPU below a root port of its own, and their links.
/// What no measured point tells is written with its value and "not identifiable".
///
/// The laws count a copy's setup beside its data. A scenario's keys are what passes before the first request, so what
/// fabric and memory take for one request is taken off: by a run of that scenario.
std::string scenario_preset(const Calibration& calibration, const compare::Dataset& dataset);

}  // namespace peerpath::calibrate
