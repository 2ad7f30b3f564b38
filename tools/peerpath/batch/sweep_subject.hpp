// The scenario that a sweep varies: of a host's PCIe or of a network.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "peerpath/scenario/prepared.hpp"
#include "tools/peerpath/batch/outcome.hpp"

namespace peerpath::cli {

class SweepSubject {
 public:
  /// Reads the scenario as it is, and all problems of it. `name` and `options` as for `scenario::load`.
  static tl::expected<SweepSubject, Problems> read(const std::filesystem::path& name,
                                                   const scenario::LoadOptions& options);

  const std::string& name() const;         ///< of the scenario
  const scenario::Sweep& block() const;    ///< its own `sweep`
  nlohmann::ordered_json written() const;  ///< resolved, without its `sweep`
  /// The keys that a pattern of --vary stands for (`scenario::Prepared::keys`): with wildcards, only those of objects
  /// that have the key. `value` is tried in them.
  tl::expected<std::vector<std::string>, std::string> keys(const std::string& pattern, const std::string& value) const;
  /// Names of the metrics that it has under these overrides; none if it cannot be run.
  std::vector<std::string> metrics(const std::vector<std::string>& overrides) const;
  /// What is wrong with it under these overrides; empty: it can be run.
  Problems problems(const std::vector<std::string>& overrides) const;
  /// Runs it in this thread and judges it. `stop` is asked about ten times a second.
  Outcome run(const std::vector<std::string>& overrides, const std::function<bool()>& stop) const;

 private:
  struct Parts;
  explicit SweepSubject(std::shared_ptr<const Parts> parts) : parts_{std::move(parts)} {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace peerpath::cli
