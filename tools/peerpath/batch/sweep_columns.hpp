// Which columns the CSV of a sweep has behind its parameters: `--columns`.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "study/sweep_axis.hpp"

namespace peerpath::cli {

/// Columns that are no metrics.
inline const std::vector<std::string> text_columns{"message", "bottleneck"};

/// The columns that the patterns choose out of text_columns and `metrics`, each once: in the order of the patterns,
/// those of one pattern in the order of the names. Or one sentence about a pattern that chooses none.
tl::expected<std::vector<std::string>, std::string> chosen_columns(const std::vector<std::string>& patterns,
                                                                   const std::vector<std::string>& metrics);

/// The metrics of a sweep: of its scenario and, if those lack something that a pattern asks for, of each step of an
/// axis with all other axes at their first.
std::vector<std::string> metrics_of_sweep(const std::vector<std::string>& patterns, const study::Varied& subject,
                                          const std::vector<study::SweepAxis>& axes);

}  // namespace peerpath::cli
