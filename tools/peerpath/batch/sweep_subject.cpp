#include "tools/peerpath/batch/sweep_subject.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include <nlohmann/json.hpp>

#include "observe/metric_names.hpp"
#include "peerpath/base/glob.hpp"
#include "scenario/missing_key.hpp"
#include "scenario/network/load.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/write.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/batch/network_outcome.hpp"

namespace peerpath::cli {
namespace {

using MaybeNetwork = std::optional<tl::expected<network_scenario::Loaded, Problems>>;

Outcome wrong(Problems problems) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::wrong;
  outcome.problems = std::move(problems);
  return outcome;
}

/// Whether one of the problems is at the key or at an object on the way to it.
bool lacks(std::string key, const Problems& problems) {
  std::ranges::replace(key, '.', '/');
  const auto pointer = "/" + key + "/";
  return std::ranges::any_of(problems, [&](const Problem& problem) { return pointer.starts_with(problem.key + "/"); });
}

}  // namespace

struct SweepSubject::Parts {
  std::filesystem::path file;
  scenario::LoadOptions options;
  scenario::Prepared prepared;
  bool is_network = false;
  std::string name;
  scenario::Sweep block;
  nlohmann::ordered_json written;

  /// A network's point takes far longer than the reading of its file.
  tl::expected<network_scenario::Loaded, Problems> network(const std::vector<std::string>& overrides) const {
    auto with = options;
    with.overrides.insert(with.overrides.end(), overrides.begin(), overrides.end());
    return network_scenario::load(file, with).value();
  }
};

tl::expected<SweepSubject, Problems> SweepSubject::read(const std::filesystem::path& name,
                                                        const scenario::LoadOptions& options) {
  auto prepared = scenario::Prepared::read(name, options);
  if (!prepared) return tl::unexpected{prepared.error()};
  auto parts = std::make_shared<Parts>(Parts{name, options, std::move(*prepared), false, {}, {}, {}});
  const auto take = [&parts](const auto& loaded, nlohmann::ordered_json written) {
    parts->name = loaded.scenario.name;
    parts->block = loaded.scenario.sweep;
    parts->written = std::move(written);
    parts->written.erase("sweep");
  };
  if (const MaybeNetwork network = network_scenario::load(name, options)) {
    if (!*network) return tl::unexpected{network->error()};
    parts->is_network = true;
    take(**network, network_scenario::written((*network)->scenario));
    return SweepSubject{std::move(parts)};
  }
  const auto loaded = parts->prepared.with({});
  if (!loaded) return tl::unexpected{loaded.error()};
  take(*loaded, scenario::written(loaded->scenario));
  return SweepSubject{std::move(parts)};
}

const std::string& SweepSubject::name() const { return parts_->name; }
const scenario::Sweep& SweepSubject::block() const { return parts_->block; }
nlohmann::ordered_json SweepSubject::written() const { return parts_->written; }

tl::expected<std::vector<std::string>, std::string> SweepSubject::keys(const std::string& pattern,
                                                                       const std::string& value) const {
  auto keys = parts_->prepared.keys(pattern);
  if (!keys || !has_wildcard(pattern)) return keys;
  const auto missing = [&](std::span<const std::string> some) {
    std::vector<std::string> overrides;
    for (const auto& key : some) overrides.push_back(key + "=" + value);
    auto found = problems(overrides);
    std::erase_if(found, std::not_fn(scenario::is_about_missing_key));
    return found;
  };
  const auto matched = keys->size();
  Problems refused;
  // All at once as long as problems tell by their pointers which keys they are about. One by one if not: those of an
  // entry of `hosts` have the pointers of its machines.
  for (auto found = missing(*keys); !found.empty(); found = missing(*keys)) {
    refused.insert(refused.end(), found.begin(), found.end());
    if (std::erase_if(*keys, [&](const auto& key) { return lacks(key, found); }) > 0) continue;
    std::erase_if(*keys, [&](const auto& key) { return !missing({&key, 1}).empty(); });
    break;
  }
  if (!keys->empty()) return keys;
  const auto helpful =
      std::ranges::find_if(refused, [](const Problem& p) { return p.message.find("did you mean") != p.message.npos; });
  return tl::unexpected{"none of the " + std::to_string(matched) + " objects that \"" + pattern +
                        "\" matches has this key; " + to_string(helpful == refused.end() ? refused.front() : *helpful)};
}

std::vector<std::string> SweepSubject::metrics(const std::vector<std::string>& overrides) const {
  std::vector<std::string> names;
  if (parts_->is_network) {
    if (const auto loaded = parts_->network(overrides))
      for (const auto& metric : network_scenario::metrics_of(loaded->scenario)) names.push_back(metric.name);
  } else if (const auto loaded = parts_->prepared.with(overrides)) {
    for (const auto& metric : observe::expected_metrics(loaded->scenario)) names.push_back(metric.name);
  }
  return names;
}

Problems SweepSubject::problems(const std::vector<std::string>& overrides) const {
  const auto of = [](const auto& loaded) { return loaded ? Problems{} : loaded.error(); };
  return parts_->is_network ? of(parts_->network(overrides)) : of(parts_->prepared.with(overrides));
}

Outcome SweepSubject::run(const std::vector<std::string>& overrides, const std::function<bool()>& stop) const {
  if (!parts_->is_network) {
    const auto loaded = parts_->prepared.with(overrides);
    return loaded ? outcome_of(*loaded, stop) : wrong(loaded.error());
  }
  const auto loaded = parts_->network(overrides);
  return loaded ? outcome_of(*loaded, stop) : wrong(loaded.error());
}

}  // namespace peerpath::cli
