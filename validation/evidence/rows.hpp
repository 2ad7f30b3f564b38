// Measured errors of the model on a set: one row for each number that is reported or has a bound.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/spread.hpp"
#include "validation/evidence/evidence.hpp"
#include "validation/pcie_bench/validate.hpp"
#include "validation/published/published.hpp"

namespace peerpath::evidence {

/// Names of rows of a GPU set. Errors are in percent.
namespace gpu_row {
inline constexpr std::string_view median = "laws: median error", p95 = "laws: 95 % of errors below",
                                  worst = "laws: largest error", together = "several GPUs at once: largest error",
                                  from_laws = "scenarios: largest difference from the laws",
                                  scenario_median = "scenarios: median error", mixed_median = "mixed: median error",
                                  mixed_worst = "mixed: largest error", link_bytes = "bytes on the link: largest error";
}
namespace socket_row {
inline constexpr std::string_view all = "all points: median error", largest = "all points: largest error";
}
namespace repeat_row {
inline constexpr std::string_view median = "difference of the takes: median",
                                  p95 = "difference of the takes: 95 % below";
}

struct Row {
  std::string set, name;
  double value = 0;              ///< rounded to two decimals
  std::optional<double> most{};  ///< the bound that it brings
  std::size_t points = 0;
};

Row row(const Set& set, std::string_view name, double value, std::size_t points = 0, std::optional<double> most = {});

/// Of scenarios too if they were played.
std::vector<Row> rows_of(const Set& set, const calibrate::Assessment& assessment);
std::vector<Row> rows_of(const Set& set, const calibrate::Spread& spread);
/// Each criterion of each host: "HOST: CRITERION".
std::vector<Row> rows_of(const Set& set, std::span<const pcie_bench::HostReport> reports);
/// The largest error of each case; its id is the row's name. A figure without a prediction counts as 100 %.
std::vector<Row> rows_of(const Set& set, const published::Table& table);

struct SocketError {
  std::string group;  ///< "echo, tcp"
  double error = 0;   ///< relative
};
/// Points that were not fitted.
std::vector<Row> rows_of(const Set& set, std::span<const SocketError> errors);

}  // namespace peerpath::evidence
