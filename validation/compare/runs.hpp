// Two runs held against each other, metric by metric: is one design better than the other?
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace peerpath::compare {

/// A metric in two runs, in its own unit.
struct RunLine {
  enum class Verdict : std::uint8_t {
    better,
    worse,
    more,  ///< of what is neither good nor bad in itself: use of a link
    less,
    no_difference,  ///< none is shown: the difference is within what both are known to
    only_one,       ///< the other run has no such metric, or measured nothing
    not_settled,    ///< it had not settled in one of the runs: no verdict
  };
  std::string metric, unit;
  std::array<std::optional<double>, 2> value{};
  std::array<std::optional<double>, 2> half_width{};  ///< of the 95 % confidence interval, if the run has one
  Verdict verdict = Verdict::no_difference;

  /// Second over first, less one, in percent; nothing where that has no meaning.
  std::optional<double> change_percent() const;
};

/// Whether the warnings of a run say that the metric has not settled: "rx.goodput_gbps has not settled: ...", or that
/// its whole entry has not, "rx has not settled: its backlog grows ...", or that its latency has no steady value, "rx:
/// offered load exceeds capacity ...".
bool has_not_settled(const std::vector<std::string>& warnings, const std::string& metric);

/// What two documents results.json say.
struct RunComparison {
  std::vector<RunLine> lines;
  std::array<std::string, 2> bottleneck;
  std::array<std::vector<std::string>, 2> not_steady;  ///< warnings of each run
};

/// Compares goodput, latency, loss and crossings of each traffic entry, and the use of links, cores and memories. A
/// difference is shown if it exceeds the root of the sum of both squared half-widths: so two independent estimates that
/// are as well known differ with a confidence of 95 %. Where a run has no interval for a metric, `run.precision` of its
/// value stands for the half-width. A metric that has not settled in one of them gets no verdict. A sentence if a
/// document is not the results.json of a run.
tl::expected<RunComparison, std::string> compare_runs(const std::string& first, const std::string& second);

/// Whether all traffic of a results.json ends by itself, so that its bytes can be compared one by one.
bool has_whole_transfers(const std::string& document);

/// A rule of --fail-if: "rx.goodput_gbps drops 1%", "rx.latency_p99_ns rises 5%".
struct FailIf {
  std::string metric;
  bool drops = true;  ///< else rises
  double percent = 0;
};

/// A sentence if the text is no rule.
tl::expected<FailIf, std::string> read_fail_if(const std::string& text);

/// Whether the second run breaks the rule: by more than its percentage, and by a difference that is shown. A sentence
/// if the comparison has no such metric, or no verdict on it as it has not settled.
tl::expected<bool, std::string> breaks(const RunComparison& comparison, const FailIf& rule);

}  // namespace peerpath::compare
