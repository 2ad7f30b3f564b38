// What the Python module asks of the models: a run, and a sweep on threads. No Python in here.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::python {

/// A scenario as Python names it.
struct Source {
  std::string name;                    ///< path or name; with `text` what problems call it
  std::optional<std::string> text;     ///< the scenario itself
  std::vector<std::string> overrides;  ///< as --set takes them
  std::vector<std::string> folders;    ///< that hold scenarios
};

/// Reads from disk, but for a source that brings its own text.
scenario::LoadOptions load_options(const Source& source);

struct RunOutput {
  std::string results;   ///< results.json
  std::string series{};  ///< series.json; "" unless asked for
  bool passed = false;   ///< complete, and every expectation holds
  bool interrupted = false;
  double seconds = 0;  ///< of wall time
};

/// Runs on the plain loop. `series_folder`: where the curves may be written for a moment; "": none are wanted.
/// `stop` is asked about ten times a second.
tl::expected<RunOutput, Problems> run(const Source& source, const std::string& series_folder,
                                      const std::function<bool()>& stop);

struct SweepRequest {
  std::vector<std::string> vary;      ///< "links.*.generation=4,5", several with `;` go in step
  std::vector<std::string> variants;  ///< "far:links.gpu0.from=rc"
  int jobs = 1;                       ///< threads, at least 1
};

/// A column has a value for each point; NaN where nothing was measured.
struct SweepOutput {
  std::vector<std::size_t> shape;  ///< steps of each axis; the last one is fastest
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> values;  ///< by key, by point
  std::map<std::string, std::vector<double>> metrics;
  std::vector<std::string> status, bottleneck, message;  ///< status: ok, expectation_failed or wrong
  bool interrupted = false;
};

/// Runs every point. `tick` is called about ten times a second in the calling thread with the number of points done;
/// true: no further point is begun.
tl::expected<SweepOutput, Problems> sweep(const Source& source, const SweepRequest& request,
                                          const std::function<bool(std::size_t done, std::size_t points)>& tick);

}  // namespace peerpath::python
