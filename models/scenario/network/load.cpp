#include "scenario/network/load.hpp"

#include "scenario/files.hpp"
#include "scenario/network/check.hpp"
#include "scenario/network/fields_reader.hpp"
#include "scenario/network/nodes.hpp"
#include "scenario/network/traces.hpp"
#include "scenario/overrides.hpp"
#include "scenario/resolve.hpp"

namespace peerpath::network_scenario {
namespace {

void read_all(const Node& root, scenario::Report& report, FieldsReader& reader, NetworkScenario& s) {
  reader.unknown(
      root, "",
      {"$schema", "description", "source", "network", "switches", "nics", "servers", "slow_hosts", "rdma", "nodes",
       "collectives", "traces", "tcp_stack", "tcp_hosts", "tcp", "events", "run", "expect", "sweep"});
  std::string schema;
  reader.text(root.find("$schema"), "/$schema", schema);
  reader.text(root.find("description"), "/description", s.description);
  reader.text(root.find("source"), "/source", s.source);
  if (const auto* network = root.find("network"))
    reader.object(network, "/network", s.network);
  else
    report.add(root.place, "/network", "is missing: hosts, switches and cables, or one of clos, fat_tree, ...");
  reader.object(root.find("switches"), "/switches", s.switches);
  reader.object(root.find("nics"), "/nics", s.nics);
  reader.object(root.find("servers"), "/servers", s.servers);
  reader.list(root.find("slow_hosts"), "/slow_hosts", s.slow_hosts);
  reader.list(root.find("nodes"), "/nodes", s.nodes);
  reader.list(root.find("rdma"), "/rdma", s.rdma);
  reader.list(root.find("collectives"), "/collectives", s.collectives);
  reader.list(root.find("traces"), "/traces", s.traces);
  reader.object(root.find("tcp_stack"), "/tcp_stack", s.tcp_stack);
  reader.object(root.find("tcp_hosts"), "/tcp_hosts", s.tcp_hosts);
  reader.list(root.find("tcp"), "/tcp", s.tcp);
  reader.list(root.find("events"), "/events", s.events);
  reader.object(root.find("run"), "/run", s.run);
  reader.list(root.find("expect"), "/expect", s.expect);
  reader.object(root.find("sweep"), "/sweep", s.sweep);
}

bool is_of_a_network(const Node& root) {
  if (root.find("network") != nullptr) return true;
  for (const auto* mark : {"rdma", "collectives", "traces", "tcp"})  // lists: a preset of a proxy has an object `tcp`
    if (const auto* found = root.find(mark); found != nullptr && found->is(Node::Type::array)) return true;
  return false;
}

}  // namespace

std::optional<tl::expected<Loaded, Problems>> load_text(std::string_view text, const std::filesystem::path& file,
                                                        const scenario::LoadOptions& options) {
  scenario::Sources sources;
  scenario::Report report{sources};
  scenario::Resolver resolver{options, sources, report};
  Node root;
  if (!resolver.resolve(text, file, root) || !is_of_a_network(root)) return std::nullopt;
  scenario::apply_overrides(options.overrides, root, report);
  Loaded loaded;
  loaded.file = file;
  loaded.scenario.name = scenario::name_of_file(file, options);
  FieldsReader reader{sources, report, file.parent_path()};
  read_all(root, report, reader, loaded.scenario);
  if (report.problems().empty()) check(root, report, loaded);
  Problems elsewhere;
  if (report.problems().empty()) elsewhere = load_nodes(root, report, resolver, options, loaded);
  if (report.problems().empty() && elsewhere.empty()) elsewhere = load_traces(root, report, resolver, options, loaded);
  if (!report.problems().empty() || !elsewhere.empty()) {
    auto problems = scenario::sorted(report.problems(), sources);
    problems.insert(problems.end(), elsewhere.begin(), elsewhere.end());
    return tl::unexpected{std::move(problems)};
  }
  loaded.origins = std::move(reader.origins());
  return loaded;
}

std::optional<tl::expected<Loaded, Problems>> load(const std::filesystem::path& name,
                                                   const scenario::LoadOptions& options) {
  const auto text = scenario::text_of(name, options);
  if (!text) return std::nullopt;
  return network_scenario::load_text(text->text, text->file, options);
}

}  // namespace peerpath::network_scenario
