#include "scenario/network/topology.hpp"

#include <map>

#include "scenario/network/names.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::network_scenario {
namespace {

constexpr std::int64_t most_cables = 1'000'000;

/// A graph that is written out by names.
class NamedGraph {
 public:
  NamedGraph(const scenario::Node& root, scenario::Report& report, network::Graph& graph)
      : root_{root}, report_{report}, graph_{graph} {}

  bool make(const Topology& t) {
    nodes("hosts", t.hosts, true);
    nodes("switches", t.switches, false);
    for (const auto& [name, number] : numbers_) all_.push_back(name);
    for (std::size_t i = 0; i < t.cables.size(); ++i) cables(scenario::join("/network/cables", i), t.cables[i]);
    return good_;
  }

 private:
  void refuse(const std::string& at, const std::string& what) {
    report_.add(scenario::locate(root_, at), at, what);
    good_ = false;
  }

  void nodes(const std::string& key, const std::vector<std::string>& names, bool is_host) {
    const auto at = scenario::join("/network", key);
    const auto spelt = spelt_out(names);
    if (spelt.size() > most_names) return refuse(at, "are more than " + std::to_string(most_names));
    for (const auto& name : spelt)
      if (numbers_.contains(name))
        refuse(at, "\"" + name + "\" is there already");
      else
        numbers_[name] = is_host ? graph_.add_host(name) : graph_.add_switch(name);
  }

  bool known(const std::string& at, const std::vector<std::string>& names) {
    for (const auto& name : names)
      if (!numbers_.contains(name)) {
        refuse(at, "there is no host or switch \"" + name + "\"" + scenario::did_you_mean(name, all_));
        return false;
      }
    return true;
  }

  void cables(const std::string& at, const CableEntry& entry) {
    const auto from = spelt_out({entry.from}), to = spelt_out({entry.to});
    if (!known(at, from) || !known(at, to) || !good_) return;
    count_ += static_cast<std::int64_t>(from.size()) * static_cast<std::int64_t>(to.size()) * entry.count;
    if (count_ > most_cables) return refuse(at, "brings the cables to more than " + std::to_string(most_cables));
    for (const auto& a : from)
      for (const auto& b : to)
        for (int c = 0; c < entry.count; ++c) {
          auto& cable = graph_.cables[graph_.connect(numbers_[a], numbers_[b], entry.rate, entry.delay)];
          cable.lost.assign(entry.lost.begin(), entry.lost.end());
          cable.loss = entry.loss;
        }
  }

  const scenario::Node& root_;
  scenario::Report& report_;
  network::Graph& graph_;
  std::map<std::string, network::NodeIndex> numbers_{};
  std::vector<std::string> all_{};
  std::int64_t count_ = 0;
  bool good_ = true;
};

}  // namespace

bool make_graph(const scenario::Node& root, scenario::Report& report, const Topology& t, network::Graph& graph) {
  const auto refuse = [&](const std::string& at, const std::string& what) {
    report.add(scenario::locate(root, at), at, what);
    return false;
  };
  const int generators = (t.clos ? 1 : 0) + (t.fat_tree ? 1 : 0) + (t.rail_optimised ? 1 : 0) + (t.dragonfly ? 1 : 0);
  const bool by_name = !t.hosts.empty() || !t.switches.empty() || !t.cables.empty();
  if (generators + (by_name ? 1 : 0) != 1)
    return refuse("/network",
                  "needs one of clos, fat_tree, rail_optimised and dragonfly, or hosts, switches and cables");
  if (t.clos && t.clos->clusters > 1 && t.clos->aggregations == 0)
    return refuse("/network/clos/aggregations", "several clusters need switches above them");
  if (t.clos && std::int64_t{t.clos->clusters} * t.clos->racks * (t.clos->hosts + t.clos->spines) > most_cables)
    return refuse("/network/clos", "has more than " + std::to_string(most_cables) + " cables");
  if (t.fat_tree && t.fat_tree->ports % 2 != 0) return refuse("/network/fat_tree/ports", "is odd");
  if (t.dragonfly && std::int64_t{t.dragonfly->groups} * t.dragonfly->routers * t.dragonfly->hosts > most_names)
    return refuse("/network/dragonfly", "has more than " + std::to_string(most_names) + " hosts");
  if (t.clos) graph = make(*t.clos);
  if (t.fat_tree) graph = make(*t.fat_tree);
  if (t.rail_optimised) graph = make(*t.rail_optimised);
  if (t.dragonfly) graph = make(*t.dragonfly);
  return !by_name || NamedGraph{root, report, graph}.make(t);
}

}  // namespace peerpath::network_scenario
