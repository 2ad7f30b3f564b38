// Network scenarios from files: JSON as of all scenarios, with `extends`, `--set` and the place of every mistake.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "peerpath/scenario/load.hpp"
#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// A scenario that can be run, what its names mean, and whence each value.
struct Loaded {
  NetworkScenario scenario;
  network::Graph graph;
  std::filesystem::path file;                         ///< that was read
  std::map<std::string, scenario::Origin> origins{};  ///< by JSON pointer
  std::vector<scenario::Loaded> nodes{};              ///< the scenario of each entry of `nodes`
  std::vector<collective::Workload> workloads{};      ///< the job of each entry of `traces`
};

/// Reads a scenario that has a `network`, `rdma`, `tcp` or `collectives`; nothing if it has none, or is no JSON: then
/// `scenario::load` says what it is. All problems are reported, each with its place.
std::optional<tl::expected<Loaded, Problems>> load(const std::filesystem::path& name,
                                                   const scenario::LoadOptions& options = {});

/// The same for a text in memory; problems name it `file`.
std::optional<tl::expected<Loaded, Problems>> load_text(std::string_view text, const std::filesystem::path& file,
                                                        const scenario::LoadOptions& options = {});

}  // namespace peerpath::network_scenario
