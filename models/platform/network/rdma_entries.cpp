#include "platform/network/rdma_entries.hpp"

#include "platform/network/cable_report.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;
using observe::quotient;

namespace {

constexpr std::int64_t second = 1'000'000'000'000'000;

}  // namespace

void report_rdma(const NetworkScenario& s, const std::vector<Tally>& tallies, Duration window,
                 observe::Results& results) {
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const auto& tally = tallies[i];
    const auto metric = [&](const char* what, std::optional<Decimal> value) {
      set_metric(results, s.rdma[i].name + what, value);
    };
    const auto bits = static_cast<WideInt>(tally.messages) * s.rdma[i].size.count() * 8;
    metric(".goodput_gbps", quotient(bits * second / 1'000'000'000, window.count(), 3));
    metric(".messages", Decimal{tally.messages, 0});
    metric(".failed_messages", Decimal{tally.failed, 0});
    if (tally.latency.count() == 0) continue;
    metric(".latency_p50_us", microseconds(tally.latency.quantile(500'000)));
    metric(".latency_p99_us", microseconds(tally.latency.quantile(990'000)));
    metric(".latency_max_us", microseconds(tally.latency.largest()));
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

collective::Schedule schedule_of(const Collective& entry, std::uint32_t ranks) {
  const Bytes bytes{entry.bytes.count() / entry.rings};
  const auto slices = static_cast<std::uint32_t>(entry.slices);
  if (entry.kind == CollectiveKind::all_reduce) return in_slices(collective::ring_all_reduce(ranks, bytes), slices);
  if (entry.kind == CollectiveKind::all_gather) return in_slices(collective::ring_all_gather(ranks, bytes), slices);
  return collective::all_to_all(ranks, bytes, static_cast<std::uint32_t>(entry.window));
}

}  // namespace peerpath::network_run
