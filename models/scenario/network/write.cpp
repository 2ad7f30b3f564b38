#include "scenario/network/write.hpp"

#include "scenario/absent_fields.hpp"
#include "scenario/write_fields.hpp"

namespace peerpath::network_scenario {
namespace {

/// Calls `use` with the name and the value of each section, in the order of a file.
template <class Use>
void for_each_section(const NetworkScenario& s, const Use& use) {
  use("network", s.network);
  use("switches", s.switches);
  use("nics", s.nics);
  if (s.servers.gpus > 1) use("servers", s.servers);
  use("slow_hosts", s.slow_hosts);
  if (!s.nodes.empty()) use("nodes", s.nodes);
  use("rdma", s.rdma);
  use("collectives", s.collectives);
  if (!s.traces.empty()) use("traces", s.traces);
  if (!s.tcp.empty()) {
    use("tcp_stack", s.tcp_stack);
    use("tcp_hosts", s.tcp_hosts);
    use("tcp", s.tcp);
  }
  use("events", s.events);
  use("run", s.run);
  use("expect", s.expect);
  if (!s.sweep.vary.empty() || !s.sweep.variants.empty()) use("sweep", s.sweep);
}

}  // namespace

nlohmann::ordered_json written(const NetworkScenario& s) {
  auto out = nlohmann::ordered_json::object();
  if (!s.description.empty()) out["description"] = s.description;
  if (!s.source.empty()) out["source"] = s.source;
  for_each_section(s, [&](const char* name, const auto& section) { out[name] = scenario::written_value(section); });
  return out;
}

scenario::Absent absent(const NetworkScenario& s) {
  scenario::Absent out;
  for_each_section(s, [&](const char* name, const auto& section) {
    scenario::collect_absent(section, scenario::join("", std::string_view{name}), out);
  });
  return out;
}

}  // namespace peerpath::network_scenario
