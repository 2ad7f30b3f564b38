// `peerpath validate --all`: the published figures that a model of this scope can be held to, each with its tolerance,
// evidence and the provenance of what the prediction rests on; and those that it cannot be held to, with the reason.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/published/laws.hpp"

namespace peerpath::published {

struct Figure {
  std::string of;
  double low = 0, high = 0;  ///< measured; the ends of a range, of which one may be infinite, or the same number
  double predicted = 0;
  std::string why_not;  ///< no prediction, and why; then the figure has failed

  /// Relative, against the nearer end of a range; 0 within it.
  double error() const;
};

struct Case {
  std::string id, area, setup, source, evidence, unit, parameters, note;
  double tolerance = 0;  ///< relative
  std::vector<Figure> figures;
  bool passed() const;
};

struct NotHeld {
  std::string id, what, evidence, reason;
};

struct Table {
  std::vector<Case> cases;
  std::vector<NotHeld> not_held;
  bool passed() const;
  std::size_t outside_pcie_bench() const;
};

/// No published tolerance above this one is held.
inline constexpr double most_tolerance = 0.15;

/// Reads the cases and predicts each figure. Refuses a tolerance above the largest allowed, a figure that a parameter
/// was fitted to, a case without source or parameters, and an id twice.
tl::expected<Table, Problems> evaluate(const std::string& text, const std::string& file, const Sources& sources);

/// Inputs of `evaluate`; nothing if the text is no table.
Asked asked_by(const std::string& text);

std::string to_text(const Table& table);
std::string to_json(const Table& table);

}  // namespace peerpath::published
