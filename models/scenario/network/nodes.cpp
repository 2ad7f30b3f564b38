#include "scenario/network/nodes.hpp"

#include <algorithm>

namespace peerpath::network_scenario {
namespace {

/// Why no surrogate can be fitted to it; "" if one can.
std::string unfit(const scenario::Scenario& node) {
  int receives = 0, transmits = 0;
  for (const auto& entry : node.traffic) {
    if (entry.is<scenario::traffic::Transmit>())
      ++transmits;
    else if (entry.is<scenario::traffic::Receive>() && !entry.replays() && !entry.sender())
      ++receives;
    else
      return "has traffic \"" + entry.name + "\", and a node has a `receive` and a `transmit` entry alone";
  }
  return receives == 1 && transmits <= 1 ? "" : "needs one `receive` entry, and one `transmit` entry at most";
}

}  // namespace

Problems load_nodes(const scenario::Node& root, scenario::Report& report, const scenario::Resolver& resolver,
                    const scenario::LoadOptions& options, Loaded& loaded) {
  Problems problems;
  for (std::size_t i = 0; i < loaded.scenario.nodes.size(); ++i) {
    const auto& entry = loaded.scenario.nodes[i];
    const auto at = scenario::join(scenario::join("/nodes", i), "scenario");
    const auto place = scenario::locate(root, at);
    const auto folder = place.file >= 0 ? resolver.path(place.file).parent_path() : loaded.file.parent_path();
    const auto file = entry.scenario.empty() ? "" : scenario::Resolver::find(entry.scenario, folder, options);
    if (file.empty()) {
      report.add(place, at, entry.scenario.empty() ? "is missing" : "there is no file \"" + entry.scenario + "\"");
      continue;
    }
    auto with = options;
    with.overrides = entry.set;
    auto node = scenario::load(file, with);
    if (!node) {
      problems.insert(problems.end(), node.error().begin(), node.error().end());
      continue;
    }
    if (const auto why = unfit(node->scenario); !why.empty())
      report.add(place, at, "\"" + entry.scenario + "\" " + why);
    loaded.nodes.push_back(std::move(*node));
  }
  return problems;
}

}  // namespace peerpath::network_scenario
