#include "platform/network/rdma_entries.hpp"

#include <algorithm>

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

void report_collective(const Collective& entry, std::optional<Duration> took, observe::Results& results) {
  if (!took) return;
  set_metric(results, entry.name + ".time_us", microseconds(*took));
  // nccl-tests: bytes a rank over time, times what a rank has to send of each of them.
  const auto ranks = static_cast<WideInt>(spelt_out(entry.hosts).size() / static_cast<std::size_t>(entry.rings));
  const auto factor = (entry.kind == CollectiveKind::all_reduce ? 2 : 1) * (ranks - 1);
  const auto bits = static_cast<WideInt>(entry.bytes.count()) / entry.rings * 8 * factor;
  set_metric(results, entry.name + ".nic_gbps", quotient(bits * second / 1'000'000'000 / ranks, took->count(), 3));
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
  std::vector<std::vector<network::HostIndex>> rings(static_cast<std::size_t>(entry.rings));
  for (std::size_t h = 0; h < hosts.size(); ++h) rings[h % rings.size()].push_back(hosts[h]);
  return rings;
}

collective::Schedule schedule_of(const Collective& entry, std::uint32_t ranks) {
  const Bytes bytes{entry.bytes.count() / entry.rings};
  const auto slices = static_cast<std::uint32_t>(entry.slices);
  switch (entry.kind) {
    case CollectiveKind::all_reduce:
      return in_slices(entry.algorithm == collective::Algorithm::tree ? collective::tree_all_reduce(ranks, bytes)
                                                                      : collective::ring_all_reduce(ranks, bytes),
                       slices);
    case CollectiveKind::all_gather:
      return in_slices(collective::ring_all_gather(ranks, bytes), slices);
    case CollectiveKind::reduce_scatter:
      return in_slices(collective::ring_reduce_scatter(ranks, bytes), slices);
    case CollectiveKind::all_to_all:
      break;
  }
  return collective::all_to_all(ranks, bytes, static_cast<std::uint32_t>(entry.window));
}

Sample sample_of(const Collective& entry, std::uint32_t ranks, std::int64_t most) {
  if (entry.algorithm == collective::Algorithm::tree) return {schedule_of(entry, ranks), 1, 1};
  const auto parts = entry.qp_use == collective::QpUse::split ? entry.qps : 1;
  const auto of_step = std::int64_t{ranks} * entry.rings * parts;
  const auto all = (entry.kind == CollectiveKind::all_reduce ? 2 : 1) * (ranks - 1);
  const bool ring = entry.kind != CollectiveKind::all_to_all;
  if (of_step * all * (ring ? entry.slices : 1) <= most) return {schedule_of(entry, ranks), all, all};
  const auto steps = static_cast<std::uint32_t>(std::clamp<std::int64_t>(most / of_step, std::min(8u, all), all));
  const Bytes bytes{entry.bytes.count() / entry.rings};
  if (ring) return {collective::ring_steps(ranks, bytes, steps), steps, all};
  return {collective::all_to_some(ranks, bytes, static_cast<std::uint32_t>(entry.window), steps), steps, all};
}

}  // namespace peerpath::network_run
