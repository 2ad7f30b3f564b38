#include "platform/network/network_window.hpp"

#include <algorithm>

namespace peerpath::network_run {

using namespace network_scenario;

platform::WatchedEntry watched_entry(const std::string& name, bool late, bool has_latency) {
  platform::WatchedEntry entry{.name = name, .waits_at_source = late, .latency_unit = std::chrono::microseconds{1}};
  if (has_latency) entry.latencies = {{500'000, ".latency_p50_us"}, {990'000, ".latency_p99_us"}};
  return entry;
}

std::vector<platform::WatchedBacklog> watched_switches(const network::Graph& graph, int mtu) {
  constexpr std::int64_t few = 16;
  std::vector<platform::WatchedBacklog> backlogs;
  for (const auto& node : graph.nodes)
    if (!node.is_host) backlogs.push_back({"buffers of " + node.name, platform::BacklogUnit::bytes, few * mtu});
  return backlogs;
}

std::vector<std::int64_t> switch_levels(const network::Network& network) {
  const auto& graph = network.graph();
  std::vector<std::int64_t> by_node(graph.nodes.size()), levels;
  for (network::PortIndex p = 0; p < 2 * network.cables(); ++p)
    if (network.is_of_own_switch(p))
      for (const auto& queue : network.port(p).queues) by_node[graph.node_of(p)] += queue.bytes;
  for (std::size_t n = 0; n < by_node.size(); ++n)
    if (!graph.nodes[n].is_host) levels.push_back(by_node[n]);
  return levels;
}

platform::WindowPlan window_plan(const NetworkScenario& s) {
  platform::WindowPlan plan{.found = finds_window(s),
                            .judged = can_be_steady(s),
                            .warmup = s.run.warmup,
                            .measure = s.run.measure,
                            .longest = longest_run(s),
                            .precision_ppm = static_cast<std::int64_t>(s.run.precision * 10'000 + 0.5)};
  for (const auto& entry : s.rdma) plan.patience = std::max(plan.patience, 2 * entry.start);
  for (const auto& entry : s.tcp) {
    const auto opened = entry.stagger * static_cast<std::int64_t>(spelt_out(entry.from).size()) * entry.connections;
    plan.patience = std::max(plan.patience, 2 * (entry.start + opened));
  }
  std::vector<Duration> periods;
  for (const auto& entry : s.rdma) periods.push_back(entry.load > 0 ? Duration{0} : entry.interval);
  if (s.tcp.empty()) plan.set_periods(periods);
  if (plan.found) return plan;
  plan.warmup = fixed_warmup(s);
  plan.measure = fixed_measure(s);
  return plan;
}

Instant run_course(const NetworkScenario& s, platform::WindowSearch& search, const Course& course) {
  using Step = platform::WindowSearch::Step;
  const auto end = Instant{search.found() ? longest_run(s) : fixed_warmup(s) + fixed_measure(s)};
  const auto step = search.found() ? s.run.patience : std::min<Duration>(s.run.patience, fixed_measure(s));
  Instant now{}, next = never;
  bool begun = false;
  const auto ends_at = [&](Instant reached) {
    if (!begun) course.begin(reached);
    return reached;
  };
  while (true) {
    const auto edge = search.next_edge();
    for (; next <= edge; next = std::min(end, now + step)) {
      now = next;
      if (const auto reached = course.advance(now); reached < now) return ends_at(reached);
      if (course.step(now) || course.over()) return now;
      if (now == end) {
        next = never;
        break;
      }
    }
    if (const auto reached = course.advance(edge); reached < edge) return ends_at(reached);
    switch (search.at_edge(course.read(edge))) {
      case Step::end:
        return edge;
      case Step::begin:
        course.begin(edge);
        if (begun) break;
        begun = true;
        now = edge;
        next = std::min(end, edge + step);
        if (course.over()) return edge;
        break;
      case Step::go_on:
        break;
    }
  }
}

void report_window(const NetworkScenario& s, const platform::WindowSearch& search,
                   const platform::Steadiness::Pooled& pooled, Duration warmup, Duration window,
                   observe::Results& results) {
  results.warmup = warmup;
  results.window = window;
  results.wanted_window = search.found() ? window : fixed_measure(s);
  results.steady = search.verdict(pooled);
  for (const auto& interval : results.steady.intervals)
    for (auto& metric : results.metrics)
      if (metric.name == interval.metric && metric.value) metric.half_width = interval.half_width;
}

}  // namespace peerpath::network_run
