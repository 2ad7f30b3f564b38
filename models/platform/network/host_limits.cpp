#include "platform/network/host_limits.hpp"

#include "platform/network/cable_report.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;

namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string fitted(const NodeFit& fit) {
  const bool all = fit.receive == BitRate{};
  const auto carried = [all](const Decimal& beside, const Decimal& alone) {
    if (all) return std::string{"all"};
    if (beside.value() >= alone.value() * 0.995) return to_string(alone) + " Gb/s";
    return to_string(alone) + " Gb/s, " + to_string(beside) + " while both ways are busy";
  };
  const auto &full = fit.points[0], &in = fit.points[1], &out = fit.points[2];
  auto text = "takes in " + carried(full.goodput_gbps, in.goodput_gbps) + " of " + to_string(full.offered_gbps) +
              " Gb/s, sends " + carried(full.sent_gbps, out.sent_gbps) + "; " + to_string(microseconds(fit.latency)) +
              " us to memory, " + to_string(microseconds(fit.send_latency)) + " us from it";
  if (!all) text += "; at full load: " + fit.bottleneck;
  return text + " (fitted: rate " + to_string(fit.rate_error_percent) + " %, latency " +
         to_string(fit.latency_error_percent) + " % off)";
}

std::string simulated(const HostUse& use) {
  auto text = "TLP by TLP: " + to_string(microseconds(use.latency)) + " us to memory, " +
              to_string(microseconds(use.send_latency)) + " us from it; in " + use.host + " " + use.limit.sentence;
  if (use.failed > 0) text += "; " + std::to_string(use.failed) + " writes and reads failed";
  return text;
}

}  // namespace

HostLimits host_limits(const Loaded& loaded, const std::vector<NodeFit>& fits) {
  HostLimits limits;
  limits.drain.resize(loaded.graph.hosts.size());
  for (const auto& slow : loaded.scenario.slow_hosts)
    for (const auto host : hosts_of(loaded.graph, slow.hosts)) limits.drain[host] = slow.rate;
  limits.fetch.resize(loaded.graph.hosts.size());
  limits.latency.resize(loaded.graph.hosts.size());
  for (std::size_t i = 0; i < fits.size(); ++i)
    for (const auto host : hosts_of(loaded.graph, loaded.scenario.nodes[i].hosts)) {
      limits.drain[host] = with_headers(fits[i].receive_beside, packet_of(loaded.scenario));
      limits.fetch[host] = with_headers(fits[i].transmit_beside, packet_of(loaded.scenario));
      limits.latency[host] = fits[i].latency;
    }
  return limits;
}

std::string sentence(const NodeEntry& entry, const NodeFit& fit) {
  return listed(entry.hosts) + " (" + entry.scenario + (entry.set.empty() ? "" : " with " + listed(entry.set)) +
         "): " + (fit.use ? simulated(*fit.use) : fitted(fit));
}

}  // namespace peerpath::network_run
