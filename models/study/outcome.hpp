// What came of a run, of whatever kind its scenario is.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "study/text/painter.hpp"

namespace peerpath::study {

/// A trace that was written.
struct TraceFile {
  std::filesystem::path written;  ///< where it is so far; it is removed with the outcome
  std::string name;               ///< of the file that it becomes in the folder of results
  std::string what;               ///< "1234 packets"
  bool whole = true;              ///< false: the disk is full, or the file cannot be written
};

/// The proof of a bottleneck: the run again, with one thing doubled or halved each time. Reruns are independent of each
/// other, so that they can be played in processes of their own.
class Reruns {
 public:
  virtual ~Reruns() = default;
  virtual std::size_t count() const = 0;
  /// Runs the one of this number; what it found, as text.
  virtual std::string play(std::size_t n) const = 0;
  /// Takes the text of a rerun, or how it crashed ("": it did not).
  virtual void note(std::size_t n, const std::string& text, const std::string& crash) = 0;
  /// Puts what all of them have shown into the results: Results::what_if, and the sentences about limits.
  virtual void conclude() = 0;
};

/// Must not outlive its Subject.
class Outcome {
 public:
  virtual ~Outcome() = default;
  /// Finished, with verdicts on what was expected.
  virtual const observe::Results& results() const = 0;
  /// What results.json holds. `version` of peerpath.
  virtual nlohmann::ordered_json document(const std::string& version) const = 0;
  /// For a person on a terminal.
  virtual std::string table(const Painter& painter) const = 0;
  /// At most `suspects` of what may be the bottleneck, beside what the results name as limits. Must not outlive the
  /// outcome.
  virtual std::unique_ptr<Reruns> reruns(std::size_t suspects) = 0;

  Problems problems{};  ///< expectations about metrics that do not exist
  std::vector<TraceFile> traces{};
  std::chrono::nanoseconds wall{};  ///< time that the run took
};

using OutcomePtr = std::unique_ptr<Outcome>;

}  // namespace peerpath::study
