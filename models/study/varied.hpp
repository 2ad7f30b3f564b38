// The scenario that a sweep varies, of whatever kind it is.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "study/subject.hpp"
#include "study/summary.hpp"

namespace peerpath::study {

/// A scenario that is read once and run many times, each time with other overrides.
class Varied {
 public:
  /// Reads the scenario as it is, and all problems of it. `name` and `options` as for `scenario::load`.
  static tl::expected<Varied, Problems> read(const std::filesystem::path& name, const scenario::LoadOptions& options);

  const Subject& subject() const;          ///< as the file has it
  nlohmann::ordered_json written() const;  ///< resolved, without its `sweep`
  /// The keys that a pattern of --vary stands for (`scenario::Prepared::keys`): with wildcards, only those of objects
  /// that have the key. `value` is tried in them.
  tl::expected<std::vector<std::string>, std::string> keys(const std::string& pattern, const std::string& value) const;
  /// Names of the metrics that it has under these overrides; none if it cannot be run.
  std::vector<std::string> metrics(const std::vector<std::string>& overrides) const;
  /// The scenario under these overrides, or what is wrong with it.
  tl::expected<SubjectPtr, Problems> with(const std::vector<std::string>& overrides) const;
  /// What is wrong with it under these overrides; empty: it can be run.
  Problems problems(const std::vector<std::string>& overrides) const;
  /// Runs it in this thread and judges it. `stop` is asked about ten times a second.
  Summary run(const std::vector<std::string>& overrides, const std::function<bool()>& stop) const;

 private:
  struct Parts;
  explicit Varied(std::shared_ptr<const Parts> parts) : parts_{std::move(parts)} {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace peerpath::study
