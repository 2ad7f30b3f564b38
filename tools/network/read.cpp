#include "tools/network/read.hpp"

#include <map>
#include <set>

#include "peerpath/scenario/load.hpp"
#include "tools/network/fields_reader.hpp"

namespace peerpath::network_tool {
namespace {

using scenario::join;
using scenario::Node;
using scenario::Report;

/// "h0..h7" as the text before the number, and the two numbers.
struct Range {
  std::string stem;
  int first = 0, last = 0;
};

std::optional<Range> range_of(const std::string& name) {
  const auto dots = name.find("..");
  if (dots == name.npos) return std::nullopt;
  const auto number = [](const std::string& text) {
    const auto digit = text.find_last_not_of("0123456789") + 1;
    return std::pair{text.substr(0, digit), text.substr(digit)};
  };
  const auto [stem, first] = number(name.substr(0, dots));
  const auto [other, last] = number(name.substr(dots + 2));
  const bool whole = !first.empty() && !last.empty() && first.size() <= 6 && last.size() <= 6;
  if (!whole || (!other.empty() && other != stem) || std::stoi(last) < std::stoi(first)) return std::nullopt;
  return Range{stem, std::stoi(first), std::stoi(last)};
}

/// What is wrong beyond single values.
class Check {
 public:
  Check(const Node& root, Report& report, Loaded& loaded) : root_{root}, report_{report}, loaded_{loaded} {}

  void all() {
    if (!make_graph()) return;
    for (const auto& wrong : loaded_.graph.problems()) add("/network", wrong);
    for (NodeNames::size_type i = 0; i < loaded_.graph.nodes.size(); ++i)
      numbers_[loaded_.graph.nodes[i].name] = static_cast<network::NodeIndex>(i);
    auto& s = loaded_.scenario;
    for (std::size_t i = 0; i < s.slow_hosts.size(); ++i)
      hosts(join(join("/slow_hosts", i), "hosts"), s.slow_hosts[i].hosts);
    for (std::size_t i = 0; i < s.rdma.size(); ++i) rdma(join("/rdma", i), s.rdma[i], i);
    for (std::size_t i = 0; i < s.collectives.size(); ++i) collective(join("/collectives", i), s.collectives[i], i);
    for (std::size_t i = 0; i < s.events.size(); ++i) event(join("/events", i), s.events[i]);
    switches(s.switches);
    if (s.rdma.empty() && s.collectives.empty())
      add("", "has neither \"rdma\" nor \"collectives\": nothing would happen");
    if (s.nics.pause_above > s.nics.buffer) add("/nics/pause_above", "is above the buffer");
    if (s.nics.resume_below > s.nics.pause_above) add("/nics/resume_below", "is above pause_above");
    if (s.run.warmup.count() < 0) add("/run/warmup", "is negative");
    for (std::size_t i = 0; i < s.expect.size(); ++i) {
      const auto& e = s.expect[i];
      if (e.metric.empty()) add(join("/expect", i), "has no \"metric\"");
      if (!e.equals && !e.at_least && !e.at_most) add(join("/expect", i), "has none of equals, at_least and at_most");
    }
  }

 private:
  using NodeNames = std::vector<network::Node>;

  void add(const std::string& at, const std::string& what) { report_.add(scenario::locate(root_, at), at, what); }

  bool make_graph() {
    const auto& t = loaded_.scenario.network;
    const int generators = (t.clos ? 1 : 0) + (t.fat_tree ? 1 : 0) + (t.rail_optimised ? 1 : 0) + (t.dragonfly ? 1 : 0);
    const bool by_name = !t.hosts.empty() || !t.switches.empty() || !t.cables.empty();
    if (generators + (by_name ? 1 : 0) != 1) {
      add("/network", "needs one of clos, fat_tree, rail_optimised and dragonfly, or hosts, switches and cables");
      return false;
    }
    if (t.clos && t.clos->clusters > 1 && t.clos->aggregations == 0) {
      add("/network/clos/aggregations", "several clusters need switches above them");
      return false;
    }
    if (t.fat_tree && t.fat_tree->ports % 2 != 0) {
      add("/network/fat_tree/ports", "is odd");
      return false;
    }
    if (t.clos) loaded_.graph = make(*t.clos);
    if (t.fat_tree) loaded_.graph = make(*t.fat_tree);
    if (t.rail_optimised) loaded_.graph = make(*t.rail_optimised);
    if (t.dragonfly) loaded_.graph = make(*t.dragonfly);
    return !by_name || by_names(t);
  }

  bool by_names(const Topology& t) {
    auto& graph = loaded_.graph;
    std::map<std::string, network::NodeIndex> nodes;
    bool good = true;
    const auto make_nodes = [&](const std::string& key, const std::vector<std::string>& names, bool is_host) {
      for (const auto& name : spelt_out(names)) {
        if (nodes.contains(name)) {
          add("/network/" + key, "\"" + name + "\" is there already");
          good = false;
          continue;
        }
        nodes[name] = is_host ? graph.add_host(name) : graph.add_switch(name);
      }
    };
    make_nodes("hosts", t.hosts, true);
    make_nodes("switches", t.switches, false);
    std::vector<std::string> all;
    for (const auto& [name, number] : nodes) all.push_back(name);
    for (std::size_t i = 0; i < t.cables.size(); ++i) {
      const auto at = join("/network/cables", i);
      const auto from = spelt_out({t.cables[i].from}), to = spelt_out({t.cables[i].to});
      for (const auto& end : {from, to})
        for (const auto& name : end)
          if (!nodes.contains(name)) {
            add(at, "there is no host or switch \"" + name + "\"" + scenario::did_you_mean(name, all));
            good = false;
          }
      if (!good) continue;
      for (const auto& a : from)
        for (const auto& b : to)
          for (int c = 0; c < t.cables[i].count; ++c)
            graph.connect(nodes[a], nodes[b], t.cables[i].rate, t.cables[i].delay);
    }
    return good;
  }

  /// The number of hosts named, if all of them are there.
  std::optional<std::size_t> hosts(const std::string& at, const std::vector<std::string>& names) {
    const auto spelt = spelt_out(names);
    if (spelt.empty()) add(at, "names no host");
    bool good = !spelt.empty();
    for (const auto& name : spelt) {
      const auto found = numbers_.find(name);
      if (found != numbers_.end() && loaded_.graph.nodes[found->second].is_host) continue;
      std::vector<std::string> all;
      for (const auto host : loaded_.graph.hosts) all.push_back(loaded_.graph.nodes[host].name);
      add(at, "there is no host \"" + name + "\"" + scenario::did_you_mean(name, all));
      good = false;
    }
    return good ? std::optional{spelt.size()} : std::nullopt;
  }

  void name(const std::string& at, std::string& name, const std::string& standard) {
    if (name.empty()) name = standard;
    if (!names_.insert(name).second) add(join(at, "name"), "another entry is called \"" + name + "\"");
  }

  void rdma(const std::string& at, Rdma& entry, std::size_t number) {
    name(at, entry.name, "rdma" + std::to_string(number));
    const auto from = hosts(join(at, "from"), entry.from), to = hosts(join(at, "to"), entry.to);
    if (from && to && *to != 1 && *to != *from)
      add(join(at, "to"),
          "names " + std::to_string(*to) + " hosts, and \"from\" " + std::to_string(*from) + "; one, or as many");
    if (entry.fresh && entry.interval == Duration{}) add(join(at, "fresh"), "needs an interval");
    if (roce::is_atomic(entry.operation) && entry.size != 8_B) add(join(at, "size"), "an atomic has 8B");
  }

  void collective(const std::string& at, Collective& entry, std::size_t number) {
    name(at, entry.name, "collective" + std::to_string(number));
    const auto count = hosts(join(at, "hosts"), entry.hosts);
    if (!count) return;
    if (*count < 2) add(join(at, "hosts"), "a collective has two ranks at least");
    if (*count % static_cast<std::size_t>(entry.rings) != 0 || *count / static_cast<std::size_t>(entry.rings) < 2)
      add(join(at, "rings"), std::to_string(*count) + " hosts do not make so many rings of two or more");
    if (entry.kind == CollectiveKind::all_to_all && entry.rings != 1) add(join(at, "rings"), "all_to_all has none");
    const auto part = entry.bytes.count() / static_cast<std::int64_t>(*count);
    if (part > 0x7fffffff) add(join(at, "bytes"), "messages of more than 2 GiB");
  }

  void event(const std::string& at, const CableEvent& event) {
    const auto& g = loaded_.graph;
    for (const auto& cable : g.cables) {
      const auto &a = g.nodes[cable.a].name, &b = g.nodes[cable.b].name;
      if ((a == event.from && b == event.to) || (a == event.to && b == event.from)) return;
    }
    add(at, "no cable joins \"" + event.from + "\" and \"" + event.to + "\"");
  }

  void switches(const network::SwitchConfig& config) {
    for (std::size_t i = 0; i < config.lossless.size(); ++i)
      if (config.lossless[i] < 0 || config.lossless[i] > 7)
        add(join("/switches/lossless", i), "is no priority, 0 to 7");
    if (!config.weights.empty() && config.weights.size() != 8) add("/switches/weights", "needs eight numbers");
    for (const int weight : config.weights)
      if (weight < 0 || weight > 1000) add("/switches/weights", "a weight is from 0 to 1000");
    if (config.ecn_min > config.ecn_max) add("/switches/ecn_min", "is above ecn_max");
  }

  const Node& root_;
  Report& report_;
  Loaded& loaded_;
  std::map<std::string, network::NodeIndex> numbers_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<std::string> spelt_out(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    const auto range = range_of(name);
    if (!range) out.push_back(name);
    for (int i = range ? range->first : 0; range && i <= range->last; ++i)
      out.push_back(range->stem + std::to_string(i));
  }
  return out;
}

std::vector<network::HostIndex> hosts_of(const network::Graph& graph, const std::vector<std::string>& names) {
  std::map<std::string, network::HostIndex> numbers;
  for (network::HostIndex h = 0; h < graph.hosts.size(); ++h) numbers[graph.nodes[graph.hosts[h]].name] = h;
  std::vector<network::HostIndex> out;
  for (const auto& name : spelt_out(names)) out.push_back(numbers.at(name));
  return out;
}

tl::expected<Loaded, Problems> load(const std::filesystem::path& file) {
  const auto text = scenario::disk().read(file);
  if (!text) return tl::unexpected{Problems{{file.string(), 0, 0, "", text.error()}}};
  scenario::Sources sources{{file.string()}, {}};
  Report report{sources};
  Node root;
  if (!scenario::parse(*text, 0, root, report)) return tl::unexpected{report.problems()};
  Loaded loaded;
  auto& s = loaded.scenario;
  FieldsReader reader{report};
  reader.unknown(root, "",
                 {"description", "source", "network", "switches", "nics", "slow_hosts", "rdma", "collectives", "events",
                  "run", "expect"});
  const auto object = [&](const char* key, auto& out) {
    if (const auto* node = root.find(key)) reader.object(*node, join("", key), out);
  };
  const auto list = [&](const char* key, auto& out) {
    if (const auto* node = root.find(key)) reader.list(*node, join("", key), out);
  };
  for (const auto& [key, out] : {std::pair{"description", &s.description}, std::pair{"source", &s.source}})
    if (const auto* node = root.find(key)) *out = node->text;
  object("network", s.network);
  object("switches", s.switches);
  object("nics", s.nics);
  object("run", s.run);
  list("slow_hosts", s.slow_hosts);
  list("rdma", s.rdma);
  list("collectives", s.collectives);
  list("events", s.events);
  list("expect", s.expect);
  if (report.problems().empty()) Check{root, report, loaded}.all();
  if (!report.problems().empty()) return tl::unexpected{report.problems()};
  return loaded;
}

}  // namespace peerpath::network_tool
