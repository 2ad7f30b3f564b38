// Network scenarios from files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "tools/network/scenario.hpp"

namespace peerpath::network_tool {

/// A scenario that can be run, and what its names mean.
struct Loaded {
  NetworkScenario scenario;
  network::Graph graph;
};

/// Reads a file: JSON with comments. All problems are reported, each with its place.
tl::expected<Loaded, Problems> load(const std::filesystem::path& file);

/// Names with ranges written out: "h0..h2" is h0, h1, h2.
std::vector<std::string> spelt_out(const std::vector<std::string>& names);

/// The numbers of hosts by their names; all of them are there.
std::vector<network::HostIndex> hosts_of(const network::Graph& graph, const std::vector<std::string>& names);

}  // namespace peerpath::network_tool
