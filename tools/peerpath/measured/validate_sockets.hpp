// `peerpath validate` of a dataset of gpunet: each point is played as a scenario with traffic of that kind.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "validation/compare/dataset.hpp"

namespace peerpath::cli {

/// Whether the dataset has points of gpunet.
bool is_of_sockets(const compare::Dataset& dataset);

/// A point of gpunet_echo or gpunet_stream as the text of a scenario, as long as some messages take by its median.
/// `proxy`: a preset file in place of scenarios/hardware/gpunet_proxy_h100.json; empty: that one.
std::string scenario_of(const compare::Point& point, const std::string& proxy = "");

struct SocketPoint {
  compare::Point measured;
  double played_ns = 0;
  bool fitted = false;  ///< every third point of a set was what the proxy's preset was fitted to
  double error() const { return played_ns / measured.median - 1; }
};

/// Plays all points of gpunet, side by side. `preset`: as for `scenario_of`.
tl::expected<std::vector<SocketPoint>, Problems> play_sockets(const compare::Dataset& dataset,
                                                              const std::string& preset = "");

/// "echo, tcp"
std::string group_of(const compare::Point& point);

/// Median of the absolute errors of the points that were not fitted, in percent.
double median_error(const std::vector<SocketPoint>& points);

/// Plays all of them, side by side; `preset` as `proxy` above. Done if the median error is at most 10 %.
Exit validate_sockets(const compare::Dataset& dataset, const std::string& preset, bool json, const Terminal& terminal);

}  // namespace peerpath::cli
