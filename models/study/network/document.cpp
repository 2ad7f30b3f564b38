#include "study/network/document.hpp"

#include "observe/results_json.hpp"
#include "scenario/network/names.hpp"
#include "scenario/network/write.hpp"
#include "scenario/write.hpp"

namespace peerpath::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(const observe::Decimal& value) { return Json::parse(observe::to_string(value)); }

Json nanoseconds(Duration time) { return number({time.count(), 6}); }

/// What was fitted to the hosts of an entry, and to what. Without a rate the wire is the limit.
void add(Json& out, const network_run::NodeFit& fit) {
  const auto rate = [](BitRate limit) { return limit == BitRate{} ? Json() : number({limit.bps(), 9}); };
  out["receive_gbps"] = rate(fit.receive);
  out["receive_beside_gbps"] = rate(fit.receive_beside);
  out["transmit_gbps"] = rate(fit.transmit);
  out["transmit_beside_gbps"] = rate(fit.transmit_beside);
  out["together_gbps"] = rate(fit.together);
  out["transmit_burst_gbps"] = rate(fit.transmit_burst);
  out["latency_ns"] = nanoseconds(fit.latency);
  out["send_latency_ns"] = nanoseconds(fit.send_latency);
  out["latency_beside_ns"] = nanoseconds(fit.latency_beside);
  out["send_latency_beside_ns"] = nanoseconds(fit.send_latency_beside);
  out["rate_error_percent"] = number(fit.rate_error_percent);
  out["latency_error_percent"] = number(fit.latency_error_percent);
  out["bottleneck"] = fit.bottleneck;
  for (const auto& p : fit.points)
    out["points"].push_back({{"offered_gbps", number(p.offered_gbps)},
                             {"goodput_gbps", number(p.goodput_gbps)},
                             {"to_send_gbps", number(p.to_send_gbps)},
                             {"sent_gbps", number(p.sent_gbps)},
                             {"latency_ns", nanoseconds(p.latency)},
                             {"send_latency_ns", nanoseconds(p.send_latency)}});
}

void add(Json& out, const network_run::HostUse& use) {
  out["busiest"] = use.host;
  out["busiest_percent"] = number(use.limit.percent);
  out["bottleneck"] = use.limit.sentence;
  out["latency_ns"] = nanoseconds(use.latency);
  out["send_latency_ns"] = nanoseconds(use.send_latency);
  out["failed"] = use.failed;
}

Json node(const network_scenario::NodeEntry& entry, const network_run::NodeFit& fit) {
  Json out{{"hosts", entry.hosts}, {"scenario", entry.scenario}, {"set", entry.set}, {"level", name_of(entry.level)}};
  if (fit.use)
    add(out, *fit.use);
  else
    add(out, fit);
  return out;
}

Json microseconds(Duration time) { return number({time.count(), 9}); }

Json cable(const network_run::CableUse& c) {
  Json out{{"name", c.name},
           {"busy_percent", number(c.busy_percent)},
           {"paused_percent", number(c.paused_percent)},
           {"queue_peak_bytes", c.peak},
           {"dropped", c.dropped},
           {"marked", c.marked}};
  if (!c.account) return out;
  const auto& a = *c.account;
  out["rate_bps"] = a.rate.bps();
  out["sent_packets"] = a.packets;
  out["offered_bytes"] = a.offered;
  out["sent_bytes"] = a.sent;
  out["arrived_bytes"] = a.arrived;
  out["dropped_bytes"] = a.dropped;
  out["backlog_at_begin_bytes"] = a.backlog_before;
  out["backlog_at_end_bytes"] = a.backlog_after;
  return out;
}

Json entry(const std::string& name, const network_run::EntryAccount& account) {
  return {{"name", name},
          {"offered_bytes", account.offered},
          {"arrived_bytes", account.arrived},
          {"missing_at_begin_bytes", account.missing_before},
          {"missing_at_end_bytes", account.missing_after}};
}

/// An entry of `traces` by rank.
Json job(const network_scenario::TraceEntry& entry, const std::vector<collective::RankUse>& uses) {
  Json out{{"name", entry.name}, {"ranks", Json::array()}};
  const auto hosts = network_scenario::spelt_out(entry.hosts);
  for (std::size_t rank = 0; rank < uses.size(); ++rank) {
    const auto& use = uses[rank];
    out["ranks"].push_back({{"host", hosts[rank]},
                            {"time_us", use.over ? microseconds(use.ended - Instant{entry.start}) : Json()},
                            {"computing_us", microseconds(use.computing)},
                            {"communicating_us", microseconds(use.communicating)},
                            {"hidden_us", microseconds(use.hidden)},
                            {"exposed_us", microseconds(use.communicating - use.hidden)}});
  }
  return out;
}

}  // namespace

Json network_document(const network_scenario::Loaded& loaded, const network_run::Outcome& outcome,
                      const std::string& version) {
  auto document = observe::results_document(outcome.results,
                                            {version, loaded.scenario.name, network_scenario::written(loaded.scenario),
                                             scenario::written_origins(loaded.origins)});
  for (const auto* key : {"flattered", "traffic", "utilisation", "ledger", "bar1", "faults", "aer", "warnings"})
    document.erase(key);
  auto& network = document["network"];
  network["said"] = outcome.said;
  for (std::size_t i = 0; i < outcome.nodes.size(); ++i)
    network["nodes"].push_back(node(loaded.scenario.nodes[i], outcome.nodes[i]));
  for (std::size_t i = 0; i < outcome.jobs.size(); ++i)
    network["jobs"].push_back(job(loaded.scenario.traces[i], outcome.jobs[i]));
  network["cables"] = Json::array();
  for (const auto& c : outcome.cables) network["cables"].push_back(cable(c));
  network["entries"] = Json::array();
  for (std::size_t i = 0; i < outcome.entries.size(); ++i) {
    const auto& s = loaded.scenario;
    network["entries"].push_back(entry(s.tcp.empty() ? s.rdma[i].name : s.tcp[i].name, outcome.entries[i]));
  }
  return document;
}

}  // namespace peerpath::study
