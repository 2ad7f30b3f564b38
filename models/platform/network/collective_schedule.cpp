#include "platform/network/collective_schedule.hpp"

#include <algorithm>

#include "collective/token_sizes.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;

std::vector<std::vector<network::HostIndex>> ranks_of(const Collective& entry, const network::Graph& graph) {
  const auto hosts = hosts_of(graph, entry.hosts);
  const auto rings = static_cast<std::size_t>(entry.rings);
  std::vector<std::vector<network::HostIndex>> out(rings * static_cast<std::size_t>(entry.channels));
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t h = i % rings; h < hosts.size(); h += rings) out[i].push_back(hosts[h]);
  return out;
}

collective::Pattern pattern_of(const NetworkScenario& s, const Collective& entry) {
  collective::Pattern out{.kind = entry.kind, .algorithm = entry.algorithm};
  out.ranks = static_cast<std::uint32_t>(spelt_out(entry.hosts).size() / static_cast<std::size_t>(entry.rings));
  out.bytes = Bytes{entry.bytes.count() / entry.rings / entry.channels};
  out.root = static_cast<std::uint32_t>(entry.root);
  out.window = static_cast<std::uint32_t>(entry.window);
  if (entry.hierarchical) out.server = static_cast<std::uint32_t>(s.servers.gpus);
  for (const auto size : entry.sizes) out.sizes.push_back(Bytes{size.count() / entry.channels});
  if (entry.token > Bytes{}) {
    out.sizes = collective::token_sizes(out.ranks, {.token = entry.token,
                                                    .each = static_cast<std::uint32_t>(entry.bytes / entry.token),
                                                    .skew = entry.skew,
                                                    .seed = static_cast<std::uint64_t>(s.run.seed)});
    for (auto& size : out.sizes) size = Bytes{size.count() / entry.channels};
  }
  return out;
}

collective::PlayerConfig player_config(const Collective& entry) {
  return {.qps = entry.qps,
          .use = entry.qp_use,
          .admitted = entry.clear_to_send,
          .slots = entry.buffers ? entry.buffers->slots() : 0,
          .copies_on = collective::goes_in_chunks({.kind = entry.kind, .algorithm = entry.algorithm})};
}

collective::ServerConfig server_config(const NetworkScenario& s) {
  return {s.servers.gpus, s.servers.nvlink, s.servers.nvlink_latency};
}

collective::Schedule schedule_of(const NetworkScenario& s, const Collective& entry) {
  auto pattern = pattern_of(s, entry);
  if (entry.buffers) return with_flags(in_chunks(pattern, *entry.buffers), entry.protocol);
  pattern.slices = static_cast<std::uint32_t>(entry.slices);
  return with_flags(schedule_of(pattern), entry.protocol);
}

Sample sample_of(const NetworkScenario& s, const Collective& entry, std::int64_t most) {
  const auto pattern = pattern_of(s, entry);
  const bool ring = entry.kind != collective::Exchange::all_to_all;
  if (entry.algorithm == collective::Algorithm::tree || entry.hierarchical || entry.buffers || pattern.is_rooted() ||
      !pattern.sizes.empty() || entry.protocol != collective::Protocol::simple)
    return {schedule_of(s, entry), 1, 1};
  const auto parts = entry.qp_use == collective::QpUse::split ? entry.qps : 1;
  const auto of_step = std::int64_t{pattern.ranks} * entry.rings * entry.channels * parts;
  const auto all = (entry.kind == collective::Exchange::all_reduce ? 2 : 1) * (pattern.ranks - 1);
  if (of_step * all * (ring ? entry.slices : 1) <= most) return {schedule_of(s, entry), all, all};
  const auto steps = static_cast<std::uint32_t>(std::clamp<std::int64_t>(most / of_step, std::min(8u, all), all));
  if (ring) return {collective::ring_steps(pattern.ranks, pattern.bytes, steps), steps, all};
  return {collective::all_to_some(pattern.ranks, pattern.bytes, pattern.window, steps), steps, all};
}

}  // namespace peerpath::network_run
