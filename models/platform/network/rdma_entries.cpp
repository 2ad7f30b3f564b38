#include "platform/network/rdma_entries.hpp"

#include <algorithm>

#include "collective/token_sizes.hpp"
#include "platform/network/cable_report.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;
using observe::quotient;

namespace {

constexpr std::int64_t second = 1'000'000'000'000'000;
constexpr std::int64_t slowdown_unit = 1'000'000;
constexpr Bytes small_message{3000};

}  // namespace

void record_slowdown(Tally& tally, const EntryUse& use, Duration latency) {
  tally.bytes += use.size.count();
  const Duration slowdown{
      static_cast<std::int64_t>(static_cast<WideInt>(latency.count()) * slowdown_unit / use.alone.count())};
  tally.slowdown.record(slowdown);
  if (use.size <= small_message) tally.small_slowdown.record(slowdown);
}

void report_rdma(const NetworkScenario& s, const std::vector<Tally>& tallies, Duration window,
                 observe::Results& results) {
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const auto& tally = tallies[i];
    const auto metric = [&](const char* what, std::optional<Decimal> value) {
      set_metric(results, s.rdma[i].name + what, value);
    };
    const auto bytes =
        s.rdma[i].load > 0 ? WideInt{tally.bytes} : static_cast<WideInt>(tally.messages) * s.rdma[i].size.count();
    const auto bits = bytes * 8;
    metric(".goodput_gbps", quotient(bits * second / 1'000'000'000, window.count(), 3));
    metric(".messages", Decimal{tally.messages, 0});
    metric(".failed_messages", Decimal{tally.failed, 0});
    if (tally.latency.count() == 0) continue;
    metric(".latency_p50_us", microseconds(tally.latency.quantile(500'000)));
    metric(".latency_p99_us", microseconds(tally.latency.quantile(990'000)));
    metric(".latency_max_us", microseconds(tally.latency.largest()));
    const auto ratio = [](Duration slowdown) { return quotient(slowdown.count(), slowdown_unit, 3); };
    if (tally.slowdown.count() > 0) {
      metric(".slowdown_p50", ratio(tally.slowdown.quantile(500'000)));
      metric(".slowdown_p99", ratio(tally.slowdown.quantile(990'000)));
    }
    if (tally.small_slowdown.count() > 0) metric(".small_slowdown_p99", ratio(tally.small_slowdown.quantile(990'000)));
  }
}

namespace {

/// What a NIC has to send or to take in, of the whole entry.
WideInt nic_bytes(const Loaded& loaded, const Collective& entry) {
  const auto& s = loaded.scenario;
  const auto pattern = pattern_of(s, entry);
  std::vector<std::uint32_t> servers;
  for (const auto host : hosts_of(loaded.graph, entry.hosts))
    servers.push_back(host / static_cast<std::uint32_t>(s.servers.gpus));
  if (entry.hierarchical || !pattern.sizes.empty() || pattern.is_rooted())
    return WideInt{busiest(schedule_of(pattern), servers).count()} * entry.channels;
  const auto steps = (entry.kind == collective::Exchange::all_reduce ? 2 : 1) * (WideInt{pattern.ranks} - 1);
  return WideInt{entry.bytes.count()} / entry.rings * steps / pattern.ranks;
}

/// nccl-tests, doc/PERFORMANCE.md: what a rank has to send of each byte, as a numerator over the number of ranks.
WideInt bus_factor(collective::Exchange kind, WideInt ranks) {
  if (kind == collective::Exchange::all_reduce) return 2 * (ranks - 1);
  return kind == collective::Exchange::broadcast || kind == collective::Exchange::reduce ? ranks : ranks - 1;
}

}  // namespace

void report_collective(const Loaded& loaded, std::size_t number, std::optional<Duration> took,
                       const collective::ServerLinks::Use& use, observe::Results& results) {
  const auto& s = loaded.scenario;
  const auto& entry = s.collectives[number];
  if (!took) return;
  const auto metric = [&](const char* what, Decimal value) { set_metric(results, entry.name + what, value); };
  metric(".time_us", microseconds(*took));
  metric(".nic_gbps", quotient(nic_bytes(loaded, entry) * 8 * (second / 1'000'000'000), took->count(), 3));
  if (s.servers.gpus == 1) return;
  const auto ranks = static_cast<std::int64_t>(spelt_out(entry.hosts).size());
  const auto bits = WideInt{entry.bytes.count()} * 8 * bus_factor(entry.kind, ranks);
  metric(".bus_gbps", quotient(bits * (second / 1'000'000'000) / ranks, took->count(), 3));
  metric(".inside_us", microseconds(use.inside / ranks));
  metric(".between_us", microseconds(use.between / ranks));
}

void report_trace(const TraceEntry& entry, const std::vector<collective::RankUse>& uses, observe::Results& results) {
  const auto count = static_cast<std::int64_t>(uses.size());
  if (!std::ranges::all_of(uses, &collective::RankUse::over)) return;
  collective::RankUse sum;
  Duration exposed{};
  for (const auto& use : uses) {
    sum.computing += use.computing;
    sum.communicating += use.communicating;
    sum.hidden += use.hidden;
    sum.ended = std::max(sum.ended, use.ended);
    exposed = std::max(exposed, use.communicating - use.hidden);
  }
  const auto metric = [&](const char* what, Duration time) {
    set_metric(results, entry.name + what, microseconds(time));
  };
  metric(".time_us", sum.ended - Instant{entry.start});
  metric(".computing_us", sum.computing / count);
  metric(".communicating_us", sum.communicating / count);
  metric(".hidden_us", sum.hidden / count);
  metric(".exposed_us", (sum.communicating - sum.hidden) / count);
  metric(".exposed_max_us", exposed);
}

std::optional<std::string> left_out_of(const Loaded& loaded, std::size_t trace) {
  const auto count = loaded.workloads[trace].left_out;
  if (count == 0) return std::nullopt;
  return loaded.scenario.traces[trace].name + ": " + std::to_string(count) +
         " control dependencies name nodes that its files do not have, and were left out";
}

collective::WorkloadPlayer player_of(const Loaded& loaded, std::size_t trace, collective::Carrier carrier,
                                     collective::WorkloadPlayer::Wake wake) {
  const auto& entry = loaded.scenario.traces[trace];
  return {std::move(carrier),
          loaded.workloads[trace],
          hosts_of(loaded.graph, entry.hosts),
          {entry.qps, entry.qp_use, entry.clear_to_send},
          entry.workload_config(),
          std::move(wake)};
}

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
  const auto pattern = pattern_of(s, entry);
  if (entry.buffers) return with_flags(in_chunks(pattern, *entry.buffers), entry.protocol);
  auto whole = schedule_of(pattern);
  if (collective::goes_in_slices(entry.kind)) whole = in_slices(whole, static_cast<std::uint32_t>(entry.slices));
  return with_flags(std::move(whole), entry.protocol);
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
