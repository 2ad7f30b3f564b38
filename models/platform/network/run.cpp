#include "platform/network/run.hpp"

#include <algorithm>
#include <array>

#include "collective/roce_carrier.hpp"
#include "peerpath/observe/finish.hpp"
#include "platform/network/accounts.hpp"
#include "platform/network/cable_report.hpp"
#include "platform/network/collective_entries.hpp"
#include "platform/network/flow_run.hpp"
#include "platform/network/host_limits.hpp"
#include "platform/network/limits.hpp"
#include "platform/network/network_window.hpp"
#include "platform/network/node_hosts.hpp"
#include "platform/network/rdma_entries.hpp"
#include "platform/network/tcp_run.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/names.hpp"
#include "scenario/network/pfc.hpp"

namespace peerpath::network_run {
namespace {

using namespace network_scenario;
using observe::Decimal;
using observe::quotient;
using roce::NicCounters;

roce::FleetConfig fleet_config(const Loaded& loaded, const NodeHosts& nodes) {
  const auto& n = loaded.scenario.nics;
  roce::FleetConfig config;
  config.connection.mtu = static_cast<std::uint32_t>(n.mtu);
  config.connection.window = static_cast<std::uint32_t>(n.window);
  config.connection.ack_every = static_cast<std::uint32_t>(n.ack_every);
  config.connection.retries = n.retries;
  config.connection.timeout = n.timeout;
  config.connection.recovery = n.recovery;
  config.dcqcn = n.dcqcn;
  config.port_by_qp = n.source_port == SourcePort::by_qp;
  config.buffer = n.buffer;
  config.pause_above = n.pause_above;
  config.resume_below = n.resume_below;
  config.cnp_priority = n.cnp_priority;
  config.translations = {n.translations, n.translation_page, n.translation_miss};
  config.contexts = {n.contexts, n.context_miss};
  config.work = {n.message_rate, n.qp_message_rate, n.wqe_fetch};
  for (const auto& entry : loaded.scenario.rdma)
    if (loaded.scenario.switches.is_lossless(entry.priority) && std::ranges::count(config.paused, entry.priority) == 0)
      config.paused.push_back(entry.priority);
  nodes.configure(config);
  return config;
}

class Runner {
 public:
  Runner(const Loaded& loaded, NodeHosts nodes, const Options& options)
      : loaded_{loaded},
        s_{loaded.scenario},
        nodes_{std::move(nodes)},
        fleet_{fleet_config(loaded, nodes_)},
        capture_{options.capture ? std::make_unique<Capture>(*options.capture, loaded.graph, fleet_, roce_headers)
                                 : nullptr},
        network_{loaded.graph, switches_in_use(s_), static_cast<std::uint64_t>(s_.run.seed), hosts()},
        parts_{network_, options.ranks},
        window_{s_.rdma, s_.nics.mtu},
        search_{window_plan(s_), window_.watched(), backlogs()},
        rdma_{loaded, fleet_, [this](Instant when, std::size_t number) { wake(when, of_rdma, number); }},
        collectives_{loaded, collective::over(fleet_),
                     [this](Instant when, std::size_t number) { wake(when, of_collectives, number); }} {
    fleet_.attach(network_);
    fleet_.completed = [this](auto qp, const auto& completion, Instant posted, Instant now) {
      completed(qp, completion, posted, now);
    };
    fleet_.message = [this](auto qp, const auto& last, Instant now) { collectives_.arrived(qp, last.immediate, now); };
    fleet_.delivered = [this](auto qp, std::uint32_t bytes) { rdma_.delivered(qp, bytes); };
    fleet_.datagram_sent = [this](auto qp, Instant now) { rdma_.datagram_sent(qp, now); };
    fleet_.datagram = [this](const auto& packet, bool received, Instant now) {
      rdma_.datagram_arrived(packet, received, now);
    };
    fleet_.alarm = [this](std::uint64_t detail, Instant now) { alarm(detail, now); };
    rdma_.schedule();
    collectives_.schedule();
    for (std::size_t i = 0; i < s_.events.size(); ++i) wake(Instant{s_.events[i].at}, cable_event, i);
  }

  Problems problems() const {
    if (!parts_.keeps_together(s_.servers.gpus))
      return {{loaded_.file.generic_string(), 0, 0, "/servers/gpus",
               "the GPUs of a server would be split over several MPI ranks; start fewer ranks, or run without mpirun"}};
    return capture_ ? capture_->problems() : Problems{};
  }

  Outcome run(const Options& options) {
    const auto now = run_course(s_, search_,
                                {.advance = [this, &options](Instant until) { return advance(until, options); },
                                 .over = [this] { return !parts_.any(!is_over()); },
                                 .step = [this, &options](Instant at) { return step(at, options); },
                                 .read = [this](Instant at) { return read(at); },
                                 .begin = [this](Instant at) { begin_window(at); }});
    take_tallies(now);
    after_ = snapshot(network_, now);
    entries_after_ = {rdma_.posted(), window_.arrived()};
    out_.nodes = nodes_.outcome(now, parts_);
    if (capture_) out_.captured = capture_->finish();
    gather();
    return outcome();
  }

 private:
  std::vector<platform::WatchedBacklog> backlogs() const {
    auto backlogs = watched_switches(loaded_.graph, s_.nics.mtu);
    backlogs.push_back({"receive buffers of NICs", platform::BacklogUnit::bytes, 16 * std::int64_t{s_.nics.mtu}});
    for (const auto& entry : s_.rdma)
      backlogs.push_back({"DCQCN rates of " + entry.name, platform::BacklogUnit::bits_per_second, 0});
    return backlogs;
  }

  void begin_window(Instant now) {
    take_tallies(now);
    nodes_.begin_window(now);
    before_ = snapshot(network_, now);
    entries_before_ = {rdma_.posted(), window_.arrived()};
    window_.begin();
    queued_.front() = {};
  }

  Instant advance(Instant until, const Options& options) {
    const auto reached = parts_.run(until, options.stop);
    if (reached < until) out_.results.complete = false;
    return reached;
  }

  /// Whether the run ends here.
  bool step(Instant now, const Options& options) {
    sample_queues(network_, queued_.front());
    circle_ = parts_.deadlock(now, s_.run.patience);
    if (circle_) return true;
    if (options.progress) options.progress(now.time_since_epoch(), longest_run(s_));
    if (!parts_.any(options.stop && options.stop())) return false;
    out_.results.complete = false;
    return true;
  }

  void take_tallies(Instant now) {
    fleet_.settle(now);
    window_.add(rdma_.take_tallies());
  }

  platform::Reading read(Instant now) {
    take_tallies(now);
    platform::Reading reading{now, window_.read(rdma_.posted(), &parts_), switch_levels(network_)};
    std::int64_t buffered = 0;
    for (network::HostIndex h = 0; h < loaded_.graph.hosts.size(); ++h) buffered += fleet_.buffered(h);
    reading.levels.push_back(buffered);
    parts_.share(reading.levels);
    read_rates(now, reading);
    return reading;
  }

  /// Rates that share a bottleneck come closer by the additive steps alone, as cuts keep their ratio (D.-M. Chiu, R.
  /// Jain, Computer Networks and ISDN Systems 17, 1989): as many steps as make up the mean rate.
  void read_rates(Instant now, platform::Reading& reading) {
    const auto paced = s_.nics.dcqcn != roce::DcqcnSet::off;
    auto rates = paced ? rdma_.rates(now, network_) : std::vector<std::vector<std::int64_t>>(s_.rdma.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      WideInt sum = 0;
      if (paced) {
        parts_.share(rates[i]);
        const auto steps = rates[i].back();
        rates[i].pop_back();
        for (const auto rate : rates[i]) sum += rate;
        const auto period = roce::parameters(s_.nics.dcqcn, {}).increase_period;
        if (steps > 0) reading.entries[i].evening = Duration{narrow(period.count() * sum / steps)};
      }
      reading.entries[i].rates = std::move(rates[i]);
      reading.levels.push_back(narrow(sum));
    }
  }

  enum Alarm : std::uint64_t { of_rdma, of_collectives, cable_event };
  static constexpr int alarm_bits = 2;
  void wake(Instant when, Alarm what, std::size_t number) {
    fleet_.wake(when, std::uint64_t{number} << alarm_bits | what);
  }

  void alarm(std::uint64_t detail, Instant now) {
    const auto number = static_cast<std::size_t>(detail >> alarm_bits);
    switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
      case of_rdma:
        return rdma_.timed(number, now);
      case of_collectives:
        return collectives_.timed(number, now);
      case cable_event:
        return apply(s_.events[number], loaded_.graph, network_, now);
    }
  }

  void completed(roce::QpIndex qp, const roce::Completion& completion, Instant posted, Instant now) {
    if (!rdma_.completed(qp, completion, posted, now) && completion.status == roce::WorkStatus::success)
      collectives_.heard(qp, static_cast<std::uint32_t>(completion.id), now);
  }

  /// Whether collectives and jobs, if there is nothing else, have come to their end on this rank's hosts.
  bool is_over() const { return rdma_.none() && !collectives_.none() && collectives_.over(); }

  network::Hosts& hosts() {
    if (capture_) return *capture_;
    return fleet_;
  }

  void gather();
  Outcome outcome();
  void metric(const std::string& name, std::optional<Decimal> value) { set_metric(out_.results, name, value); }
  void report_network();
  void explain();

  const Loaded& loaded_;
  const NetworkScenario& s_;
  NodeHosts nodes_;
  roce::Fleet fleet_;
  std::unique_ptr<Capture> capture_;
  network::Network network_;
  Parts parts_;
  RdmaWindow window_;
  platform::WindowSearch search_;
  RdmaEntries rdma_;
  CollectiveEntries collectives_;
  std::vector<observe::Histogram> queued_ = std::vector<observe::Histogram>(1);
  Snapshot before_, after_;
  EntryTotals entries_before_, entries_after_;
  std::optional<network::PauseCircle> circle_;
  std::vector<std::int64_t> nic_pauses_;  ///< by host
  std::vector<Played> played_;
  std::int64_t sent_again_ = 0;
  NicCounters nics_;  ///< counts of all NICs together, those that `over_all_nics` names
  Outcome out_;
};

constexpr std::array over_all_nics{&NicCounters::dropped, &NicCounters::translations, &NicCounters::translations_missed,
                                   &NicCounters::contexts, &NicCounters::contexts_missed};

/// Rank 0 takes the counts of all ranks.
void Runner::gather() {
  network_run::gather(parts_, before_);
  network_run::gather(parts_, after_);
  network_run::gather(parts_, entries_before_);
  network_run::gather(parts_, entries_after_);
  parts_.gather(window_.window(), [](Tally& a, const Tally& b) { a.merge(b); });
  parts_.gather(queued_, [](observe::Histogram& a, const observe::Histogram& b) { a.merge(b); });
  played_ = collectives_.played();
  parts_.gather(played_, [](Played& a, const Played& b) { a.merge(b); });
  out_.jobs = collectives_.uses();
  for (auto& uses : out_.jobs)
    parts_.gather(uses, [](collective::RankUse& a, const collective::RankUse& b) { a.merge(b); });
  std::vector<std::int64_t> sums{fleet_.retransmissions()};
  sums.resize(1 + over_all_nics.size());
  for (network::HostIndex h = 0; h < loaded_.graph.hosts.size(); ++h) {
    nic_pauses_.push_back(fleet_.counters(h).pauses);
    for (std::size_t i = 0; i < over_all_nics.size(); ++i) sums[1 + i] += fleet_.counters(h).*over_all_nics[i];
  }
  parts_.sum(nic_pauses_);
  parts_.sum(sums);
  sent_again_ = sums.front();
  for (std::size_t i = 0; i < over_all_nics.size(); ++i) nics_.*over_all_nics[i] = sums[1 + i];
}

void Runner::report_network() {
  auto totals = report_cables(before_, after_, loaded_.graph, out_);
  std::int64_t nic_pauses = 0;
  for (const auto pauses : nic_pauses_) nic_pauses += pauses;
  totals.dropped += nics_.dropped;
  report_totals(totals, out_.results);
  metric("network.nic_pauses", Decimal{nic_pauses, 0});
  metric("network.sent_again", Decimal{sent_again_, 0});
  metric("network.queue_p95_bytes", Decimal{queued_.front().quantile(950'000).count(), 0});
  metric("network.queue_p99_bytes", Decimal{queued_.front().quantile(990'000).count(), 0});
  if (nics_.translations > 0)
    metric("network.translations_missed_percent", quotient(nics_.translations_missed * 100, nics_.translations, 1));
  if (nics_.contexts > 0)
    metric("network.contexts_missed_percent", quotient(nics_.contexts_missed * 100, nics_.contexts, 1));
  metric("network.deadlock", Decimal{circle_ ? 1 : 0, 0});
}

/// The circle as queues that wait for each other.
observe::DeadlockResult deadlock_of(const network::PauseCircle& circle, const network::Graph& graph, Instant found) {
  observe::DeadlockResult out;
  out.found = found;
  for (std::size_t i = 0; i < circle.ports.size(); ++i) {
    const auto next = circle.ports[(i + 1) % circle.ports.size()];
    out.blocked.push_back({graph.name_of(circle.ports[i]), "priority " + std::to_string(circle.priority),
                           "room behind " + graph.name_of(next)});
    out.cycle.push_back(i);
  }
  return out;
}

/// What limits the run: a circle, hosts that are slow, or the busiest cable.
void Runner::explain() {
  if (circle_) {
    out_.results.deadlock = deadlock_of(*circle_, loaded_.graph, after_.when);
    std::string circle = "deadlock: in priority " + std::to_string(circle_->priority);
    for (const auto port : circle_->ports)
      circle += (port == circle_->ports.front() ? ", " : " waits for ") + loaded_.graph.name_of(port);
    out_.said.push_back(circle + ", and back to the first");
  }
  for (network::HostIndex h = 0; h < loaded_.graph.hosts.size(); ++h)
    if (const auto count = nic_pauses_[h]; count > 0)
      out_.said.push_back("the NIC of " + loaded_.graph.nodes[loaded_.graph.hosts[h]].name + " paused its switch " +
                          std::to_string(count) + " times: its host accepts less than the wire rate");
  for (std::size_t i = 0; i < out_.nodes.size(); ++i) out_.said.push_back(sentence(s_.nodes[i], out_.nodes[i]));
  if (!out_.cables.empty()) out_.said.push_back(busiest(out_));
  for (auto& said : collectives_.remarks(played_)) out_.said.push_back(std::move(said));
  if (!out_.said.empty()) out_.results.bottleneck = out_.said.front();
}

Outcome Runner::outcome() {
  for (const auto& info : metrics_of(s_))
    out_.results.metrics.push_back({info.name, info.unit, std::nullopt, info.doc, std::nullopt});
  const auto window = after_.when - before_.when;
  report_rdma(s_, window_.window(), window, out_.results);
  collectives_.report(played_, out_.jobs, out_.results);
  report_network();
  out_.entries = accounts(entries_before_, entries_after_);
  out_.results.conservation = violations(before_, after_, loaded_.graph, out_);
  nodes_.add_violations(out_.results.conservation);
  report_window(s_, search_, window_.latencies(), before_.when - Instant{}, window, out_.results);
  explain();
  return std::move(out_);
}

/// RDMA and collectives.
tl::expected<Outcome, Problems> run_rdma(const Loaded& loaded, const Options& options) {
  auto nodes = NodeHosts::make(loaded, options.ranks);
  if (!nodes) return tl::unexpected{std::move(nodes.error())};
  Runner runner{loaded, std::move(*nodes), options};
  if (auto problems = runner.problems(); !problems.empty()) return tl::unexpected{std::move(problems)};
  return runner.run(options);
}

tl::expected<Outcome, Problems> run_level(const Loaded& loaded, const Options& options) {
  if (loaded.scenario.run.level == NetworkLevel::flows) return run_flows(loaded, options);
  return loaded.scenario.tcp.empty() ? run_rdma(loaded, options) : run_tcp(loaded, options);
}

}  // namespace

tl::expected<Outcome, Problems> run(const Loaded& loaded, const Options& options) {
  auto outcome = run_level(loaded, options);
  if (!outcome) return outcome;
  find_limits(loaded, *outcome);
  for (const auto& expectation : loaded.scenario.expect) {
    if (loaded.scenario.run.level == NetworkLevel::flows && expectation.metric.starts_with("network."))
      outcome->said.push_back("not evaluated at level flows: " + expectation.metric);
    else  // the loader has seen to it that the metric is there
      outcome->results.expectations.push_back(*observe::judge(outcome->results, expectation));
  }
  return outcome;
}

}  // namespace peerpath::network_run
