#include "scenario/network/nodes.hpp"

#include <algorithm>

namespace peerpath::network_scenario {
namespace {

/// Why it is no host of a network; "" if it is one.
std::string unfit(const scenario::Scenario& node) {
  namespace traffic = scenario::traffic;
  int receives = 0, transmits = 0;
  std::string nic;
  for (const auto& entry : node.traffic) {
    if (entry.is<traffic::Gpunet>())
      return "has traffic \"" + entry.name + "\" of sockets, which have a wire of their own";
    if (!entry.is<traffic::Receive>() && !entry.is<traffic::Transmit>()) continue;
    if (entry.replays() || entry.sender())
      return "has traffic \"" + entry.name + "\", whose frames are given; a network brings them";
    if (scenario::through_host(entry.path))
      return "has traffic \"" + entry.name + "\", which bounces; the NIC of a network's host reaches memory itself";
    if (!nic.empty() && nic != entry.from) return "receives and sends by two NICs, and a host of a network has one";
    nic = entry.from;
    ++(entry.is<traffic::Receive>() ? receives : transmits);
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
