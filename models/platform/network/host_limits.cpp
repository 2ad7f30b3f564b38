#include "platform/network/host_limits.hpp"

#include "platform/network/cable_report.hpp"
#include "scenario/network/names.hpp"
#include "transport/roce/frame.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;

namespace {

/// The rate of frames whose payload has that rate.
BitRate with_headers(BitRate payload, int mtu) {
  roce::Packet packet;
  packet.opcode = opcode(roce::Service::reliable_connection, roce::Operation::write_middle);
  packet.length = static_cast<std::uint32_t>(mtu);
  return BitRate{static_cast<std::int64_t>(static_cast<WideInt>(payload.bps()) *
                                           static_cast<std::int64_t>(roce::frame_size(packet)) / mtu)};
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
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
      limits.drain[host] = with_headers(fits[i].receive, loaded.scenario.nics.mtu);
      limits.fetch[host] = with_headers(fits[i].transmit, loaded.scenario.nics.mtu);
      limits.latency[host] = fits[i].latency;
    }
  return limits;
}

std::string sentence(const NodeEntry& entry, const NodeFit& fit) {
  auto text =
      listed(entry.hosts) + " (" + entry.scenario + (entry.set.empty() ? "" : " with " + listed(entry.set)) + ")";
  const auto& full = fit.points.front();
  const auto rate = [](BitRate limit, const Decimal& carried) {
    return limit == BitRate{} ? std::string{"all"} : to_string(carried) + " Gb/s";
  };
  text += ": takes in " + rate(fit.receive, full.goodput_gbps) + " of " + to_string(full.offered_gbps) + " Gb/s";
  if (full.sent_gbps.digits > 0) text += ", sends " + rate(fit.transmit, full.sent_gbps) + " meanwhile";
  text += ", " + to_string(microseconds(fit.latency)) + " us to memory";
  if (fit.receive != BitRate{} || fit.transmit != BitRate{}) text += "; at full load: " + fit.bottleneck;
  return text + " (fitted: rate " + to_string(fit.rate_error_percent) + " %, latency " +
         to_string(fit.latency_error_percent) + " % off)";
}

}  // namespace peerpath::network_run
