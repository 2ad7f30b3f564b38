// One run of a scenario on the plain loop, as `test` and `sweep` keep it: small, and as text from process to process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::cli {

struct Outcome {
  enum class Kind : std::uint8_t {
    passed,
    failed,       ///< an expectation does not hold; `problems` says which
    skipped,      ///< nothing to run; `problems` says why
    wrong,        ///< the scenario cannot be read or run
    crashed,      ///< a bug of peerpath
    interrupted,  ///< stopped before its end: nothing of it counts
  };
  struct Measured {
    std::string metric;
    std::optional<double> value{};  ///< none where nothing was measured
  };
  Kind kind = Kind::passed;
  std::string scenario{};  ///< its name
  Problems problems{};
  std::vector<Measured> metrics{};  ///< all, by name, of a run that came to its end
  std::string bottleneck{};
  std::vector<std::string> not_steady{};  ///< warnings about values that have not settled
  double seconds = 0;                     ///< of wall time
};

/// Runs the scenario in this thread and judges it; `stop` is asked about ten times a second.
Outcome outcome_of(const scenario::Loaded& loaded, const std::function<bool()>& stop = {});

/// What results that are finished amount to, without names and places.
Outcome judged(const observe::Results& results);

/// To text and back.
std::string packed(const Outcome& outcome);
/// What a child left: its outcome, or that it crashed.
Outcome unpacked(const std::string& text, const std::string& crash);

}  // namespace peerpath::cli
