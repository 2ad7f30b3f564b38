#include "tools/peerpath/sweep_subject.hpp"

#include <nlohmann/json.hpp>

#include "scenario/network/load.hpp"
#include "scenario/network/write.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/network_outcome.hpp"

namespace peerpath::cli {
namespace {

using MaybeNetwork = std::optional<tl::expected<network_scenario::Loaded, Problems>>;

Outcome wrong(Problems problems) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::wrong;
  outcome.problems = std::move(problems);
  return outcome;
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

tl::expected<std::vector<std::string>, std::string> SweepSubject::keys(const std::string& pattern) const {
  return parts_->prepared.keys(pattern);
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
