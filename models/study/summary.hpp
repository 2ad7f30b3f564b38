// One run of a scenario as `test` and `sweep` keep it: small, and as text from process to process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "study/verdict.hpp"

namespace peerpath::study {

struct Summary {
  struct Measured {
    std::string metric;
    std::optional<double> value{};  ///< none where nothing was measured
  };
  Ending kind = Ending::passed;
  std::string scenario{};  ///< its name
  Problems problems{};
  std::vector<Measured> metrics{};  ///< all, by name, of a run that came to its end
  std::string bottleneck{};
  std::vector<std::string> not_steady{};  ///< warnings about values that have not settled
  double seconds = 0;                     ///< of wall time
};

/// Of a scenario that cannot be read or run.
Summary wrong(Problems problems);

/// What results that are finished amount to, without names and places.
Summary judged(const observe::Results& results);

/// To text and back.
std::string packed(const Summary& outcome);
/// What a child left: its outcome, or that it crashed.
Summary unpacked(const std::string& text, const std::string& crash);

}  // namespace peerpath::study
