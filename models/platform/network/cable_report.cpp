#include "platform/network/cable_report.hpp"

#include <algorithm>

namespace peerpath::network_run {

using observe::Decimal;
using observe::quotient;

Snapshot snapshot(const network::Network& network, Instant now) {
  Snapshot taken{now};
  auto backlog = network.backlog();
  for (network::PortIndex p = 0; p < 2 * network.cables(); ++p) {
    const auto& port = network.port(p);
    taken.ports.push_back(port.counters);
    taken.ports.back().busy -= std::max<Duration>(port.free - now, Duration{});
    taken.paused.push_back(network.paused(p, now));
    taken.stopped.push_back(network.stopped(p, now));
    taken.arrived.push_back(network.port(network::Graph::peer(p)).arrived);
  }
  taken.backlog = std::move(backlog.bytes);
  taken.lost_track = backlog.lost_track;
  return taken;
}

void sample_queues(const network::Network& network, observe::Histogram& queued) {
  for (network::PortIndex p = 0; p < 2 * network.cables(); ++p) {
    if (!network.is_of_own_switch(p)) continue;
    std::int64_t bytes = 0;
    for (const auto& queue : network.port(p).queues) bytes += queue.bytes;
    queued.record(Duration{bytes});
  }
}

/// A port counts where its node is, and what its cable loses also at the other end.
void gather(Parts& parts, Snapshot& snapshot) {
  parts.gather(snapshot.ports, [](network::PortCounters& a, const network::PortCounters& b) {
    a.packets += b.packets;
    a.bytes += b.bytes;
    a.busy += b.busy;
    a.marked += b.marked;
    a.dropped += b.dropped;
    a.dropped_bytes += b.dropped_bytes;
    a.offered += b.offered;
    a.pauses += b.pauses;
    a.resumes += b.resumes;
    a.paused += b.paused;
    a.peak = std::max(a.peak, b.peak);
  });
  for (auto* times : {&snapshot.paused, &snapshot.stopped})
    parts.gather(*times, [](Duration& a, Duration b) { a += b; });
  std::vector<std::int64_t> lost{snapshot.lost_track};
  for (auto* sums : {&snapshot.arrived, &snapshot.backlog, &lost}) parts.sum(*sums);
  snapshot.lost_track = lost.front();
}

CableAccount account_of(const Snapshot& before, const Snapshot& after, network::PortIndex port) {
  const auto &a = before.ports[port], &b = after.ports[port];
  return {.packets = b.packets - a.packets,
          .offered = b.offered - a.offered,
          .sent = b.bytes - a.bytes,
          .arrived = after.arrived[port] - before.arrived[port],
          .dropped = b.dropped_bytes - a.dropped_bytes,
          .backlog_before = before.backlog[port],
          .backlog_after = after.backlog[port]};
}

CableTotals report_cables(const Snapshot& before, const Snapshot& after, const network::Graph& graph, Outcome& out) {
  CableTotals sum;
  const auto window = (after.when - before.when).count();
  for (network::PortIndex p = 0; p < after.ports.size(); ++p) {
    const auto &a = before.ports[p], &b = after.ports[p];
    const auto held = after.paused[p] - before.paused[p], stopped = after.stopped[p] - before.stopped[p];
    sum.packets += b.packets - a.packets;
    sum.dropped += b.dropped - a.dropped;
    sum.marked += b.marked - a.marked;
    sum.pauses += b.pauses - a.pauses;
    sum.peak = std::max(sum.peak, b.peak);
    sum.paused += held;
    out.cables.push_back({graph.name_of(p), quotient(static_cast<WideInt>((b.busy - a.busy).count()) * 100, window, 1),
                          quotient(static_cast<WideInt>(stopped.count()) * 100, window, 1), b.peak,
                          b.dropped - a.dropped, b.marked - a.marked, account_of(before, after, p)});
    out.cables.back().account->rate = graph.cables[p / 2].rate;
  }
  busiest_first(out.cables);
  return sum;
}

void busiest_first(std::vector<CableUse>& cables) {
  std::ranges::stable_sort(
      cables, [](const CableUse& a, const CableUse& b) { return a.busy_percent.value() > b.busy_percent.value(); });
}

void set_metric(observe::Results& results, const std::string& name, std::optional<Decimal> value) {
  for (auto& metric : results.metrics)
    if (metric.name == name) metric.value = value;
}

Decimal gbps(WideInt bits, Duration time) { return quotient(bits * 1'000'000, time.count(), 3); }

Decimal microseconds(Duration d) { return quotient(d.count(), 1'000'000'000, 3); }

void report_totals(const CableTotals& totals, observe::Results& results) {
  set_metric(results, "network.packets", Decimal{totals.packets, 0});
  set_metric(results, "network.dropped", Decimal{totals.dropped, 0});
  set_metric(results, "network.marked", Decimal{totals.marked, 0});
  set_metric(results, "network.pauses", Decimal{totals.pauses, 0});
  set_metric(results, "network.paused_us", microseconds(totals.paused));
  set_metric(results, "network.queue_peak_bytes", Decimal{totals.peak, 0});
}

std::string busiest(const Outcome& out) {
  return "busiest cable: " + out.cables.front().name + ", " + to_string(out.cables.front().busy_percent) + " %";
}

std::optional<network::CableIndex> cable_of(const network_scenario::CableEvent& event, const network::Graph& graph) {
  for (network::CableIndex c = 0; c < graph.cables.size(); ++c) {
    const auto &a = graph.nodes[graph.cables[c].a].name, &b = graph.nodes[graph.cables[c].b].name;
    if ((a == event.from && b == event.to) || (a == event.to && b == event.from)) return c;
  }
  return std::nullopt;
}

void apply(const network_scenario::CableEvent& event, const network::Graph& graph, network::Network& network,
           Instant now) {
  if (const auto cable = cable_of(event, graph)) network.set_cable(*cable, event.up, now);
}

}  // namespace peerpath::network_run
