// Values of metrics that were accepted once, with tolerances: `peerpath test --baseline`.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "study/summary.hpp"

namespace peerpath::cli {

/// The file: `metrics` and `tolerances` are written by people and kept, `scenarios` by --accept.
struct Baseline {
  /// Patterns with `*` and `?`: which metrics are kept. Counts of a window are not: its length is found.
  std::vector<std::string> metrics{"*.goodput_gbps", "*.latency_p50_ns", "*.latency_p99_ns", "*.loss_percent"};
  struct Tolerance {
    std::string pattern;
    double percent = 0;
  };
  std::vector<Tolerance> tolerances{{"*", 0.0}};  ///< of several that match the last counts; none: exactly the same
  std::map<std::string, std::map<std::string, std::optional<double>>> scenarios;
};

/// Reads a file that --accept wrote. One that does not exist is an empty baseline if `may_be_new`.
tl::expected<Baseline, Problems> read_baseline(const std::filesystem::path& file, bool may_be_new);

/// The document, with a newline at its end.
std::string to_json(const Baseline& baseline);

/// Takes over the metrics of a run that its patterns name, but none that has not settled: its value depends on the
/// length of the run. Returns a sentence for each that is left out.
std::vector<std::string> accept(Baseline& baseline, const std::string& scenario, const study::Summary& outcome);

/// One sentence for each metric that is not where it was, and has settled.
std::vector<std::string> drifts(const Baseline& baseline, const std::string& scenario, const study::Summary& outcome);

/// One sentence for each metric of the baseline that has not settled in this run, and so gets no verdict.
std::vector<std::string> without_verdict(const Baseline& baseline, const std::string& scenario,
                                         const study::Summary& outcome);

}  // namespace peerpath::cli
