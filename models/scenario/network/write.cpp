#include "scenario/network/write.hpp"

#include "scenario/write_fields.hpp"

namespace peerpath::network_scenario {

nlohmann::ordered_json written(const NetworkScenario& s) {
  using scenario::written_value;
  auto out = nlohmann::ordered_json::object();
  if (!s.description.empty()) out["description"] = s.description;
  if (!s.source.empty()) out["source"] = s.source;
  out["network"] = written_value(s.network);
  out["switches"] = written_value(s.switches);
  out["nics"] = written_value(s.nics);
  if (s.servers.gpus > 1) out["servers"] = written_value(s.servers);
  out["slow_hosts"] = written_value(s.slow_hosts);
  if (!s.nodes.empty()) out["nodes"] = written_value(s.nodes);
  out["rdma"] = written_value(s.rdma);
  out["collectives"] = written_value(s.collectives);
  if (!s.traces.empty()) out["traces"] = written_value(s.traces);
  if (!s.tcp.empty()) {
    out["tcp_stack"] = written_value(s.tcp_stack);
    out["tcp_hosts"] = written_value(s.tcp_hosts);
    out["tcp"] = written_value(s.tcp);
  }
  out["events"] = written_value(s.events);
  out["run"] = written_value(s.run);
  out["expect"] = written_value(s.expect);
  if (!s.sweep.vary.empty() || !s.sweep.variants.empty()) out["sweep"] = written_value(s.sweep);
  return out;
}

}  // namespace peerpath::network_scenario
