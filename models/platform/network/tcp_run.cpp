#include "platform/network/tcp_run.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "peerpath/observe/finish.hpp"
#include "platform/network/accounts.hpp"
#include "platform/network/cable_report.hpp"
#include "platform/network/host_limits.hpp"
#include "platform/network/network_window.hpp"
#include "platform/network/node_hosts.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/names.hpp"
#include "scenario/network/pfc.hpp"
#include "transport/tcp/fleet.hpp"
#include "transport/tcp/frame.hpp"

namespace peerpath::network_run {
namespace {

using namespace network_scenario;
using observe::Decimal;
using observe::quotient;

constexpr std::int64_t endless = std::int64_t{1} << 50;

/// Headers of a packet for a capture: the client's port tells the connection.
std::vector<std::uint8_t> tcp_headers(const network::Packet& packet) {
  const auto segment = std::bit_cast<tcp::Segment>(packet.cargo);
  const bool to_server = segment.connection % 2 == 1;
  const auto client = static_cast<std::uint16_t>(32768 + segment.connection / 2 % 28232);
  tcp::Addresses a;
  a.source_mac = mac_of(packet.source);
  a.destination_mac = mac_of(packet.destination);
  a.source_ip = ip_of(packet.source);
  a.destination_ip = ip_of(packet.destination);
  a.source_port = to_server ? client : std::uint16_t{5001};
  a.destination_port = to_server ? std::uint16_t{5001} : client;
  a.ecn = packet.congestion_experienced ? 3 : packet.ecn_capable ? 2 : 0;
  auto frame = encode(segment, a);
  frame.resize(tcp::frame_size(segment) - segment.length);
  return frame;
}

tcp::FleetConfig fleet_config(const NetworkScenario& s, NodeHosts& nodes) {
  tcp::FleetConfig config{.connection = s.tcp_stack, .host = s.tcp_hosts, .priority = 0, .dma = {}};
  nodes.configure(config);
  return config;
}

/// That a connection sends.
std::int64_t bytes_of(const Tcp& entry) { return entry.bytes > Bytes{} ? entry.bytes.count() : endless; }

/// What one entry has done.
struct FlowTally {
  std::int64_t bytes = 0;  ///< read in the window
  observe::Histogram times;
};

/// One connection of an entry.
struct Flow {
  std::size_t entry = 0;
  tcp::EndIndex client = 0;
  Instant opened = never;
  std::int64_t arrived = 0;  ///< bytes that were read, since the start
  std::int64_t largest = 0;  ///< by one read, since the latest reading of the search
};

class TcpRunner {
 public:
  TcpRunner(const Loaded& loaded, NodeHosts nodes, const Options& options)
      : loaded_{loaded},
        s_{loaded.scenario},
        nodes_{std::move(nodes)},
        fleet_{fleet_config(s_, nodes_), static_cast<std::uint64_t>(s_.run.seed)},
        capture_{options.capture ? std::make_unique<Capture>(*options.capture, loaded.graph, fleet_, tcp_headers)
                                 : nullptr},
        network_{loaded.graph, switches_in_use(s_), static_cast<std::uint64_t>(s_.run.seed), hosts()},
        parts_{network_, options.ranks},
        search_{window_plan(s_), entries(), backlogs()},
        tallies_(s_.tcp.size()) {
    fleet_.attach(network_);
    fleet_.taken = [this](tcp::EndIndex end, std::int64_t bytes, Instant) {
      auto& flow = flows_[end / 2];
      tallies_[flow.entry].bytes += bytes;
      flow.largest = std::max(flow.largest, bytes);
      flow.arrived += bytes;
    };
    fleet_.completed = [this](tcp::EndIndex end, Instant now) { over(end, now); };
    fleet_.alarm = [this](std::uint64_t detail, Instant now) { alarm(detail, now); };
    for (std::size_t i = 0; i < s_.tcp.size(); ++i) plan(i);
    for (std::size_t i = 0; i < s_.events.size(); ++i) fleet_.wake(Instant{s_.events[i].at}, i << 2 | cable_event);
  }

  Problems problems() const { return capture_ ? capture_->problems() : Problems{}; }

  Outcome run(const Options& options) {
    Snapshot before;
    const auto now = run_course(s_, search_,
                                {.advance = [this, &options](Instant until) { return advance(until, options); },
                                 .over = [this] { return !parts_.any(left_ > 0); },
                                 .step = [this, &options](Instant at) { return is_to_stop(at, options); },
                                 .read = [this](Instant at) { return read(at); },
                                 .begin = [this, &before](Instant at) { before = begin_window(at); }});
    if (capture_) out_.captured = capture_->finish();
    auto after = snapshot(network_, now);
    out_.nodes = nodes_.outcome(now, parts_);
    entries_after_ = totals();
    gather(before, after);
    report(before, after);
    return std::move(out_);
  }

 private:
  enum Alarm : std::uint64_t { open, keep, give, cable_event };

  std::vector<platform::WatchedEntry> entries() const {
    std::vector<platform::WatchedEntry> watched;
    for (const auto& entry : s_.tcp) watched.push_back(watched_entry(entry.name, false, false));
    return watched;
  }

  std::vector<platform::WatchedBacklog> backlogs() const {
    auto backlogs = watched_switches(loaded_.graph, static_cast<int>(s_.tcp_stack.mss()));
    for (const auto& entry : s_.tcp) {
      const auto grain = 16 * std::int64_t{s_.tcp_stack.mss()};
      backlogs.push_back({"congestion windows of " + entry.name, platform::BacklogUnit::bytes, grain});
      backlogs.push_back({"socket buffers of " + entry.name, platform::BacklogUnit::bytes, grain});
    }
    return backlogs;
  }

  Snapshot begin_window(Instant now) {
    nodes_.begin_window(now);
    work_before_ = work(now);
    entries_before_ = totals();
    for (auto& tally : tallies_) tally.bytes = 0;
    return snapshot(network_, now);
  }

  Instant advance(Instant until, const Options& options) {
    const auto reached = parts_.run(until, options.stop);
    if (reached < until) out_.results.complete = false;
    return reached;
  }

  bool is_to_stop(Instant now, const Options& options) {
    if (options.progress) options.progress(now.time_since_epoch(), longest_run(s_));
    if (!parts_.any(options.stop && options.stop())) return false;
    out_.results.complete = false;
    return true;
  }

  platform::Reading read(Instant now) {
    platform::Reading reading{now, {}, switch_levels(network_)};
    reading.entries.resize(s_.tcp.size(), {.waiting = 1});
    std::vector<std::int64_t> levels(2 * s_.tcp.size()), arrived, largest;
    for (auto& flow : flows_) {
      arrived.push_back(flow.arrived);
      largest.push_back(std::exchange(flow.largest, 0));
    }
    parts_.share(arrived);
    parts_.share(largest);
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      const auto& flow = flows_[f];
      auto& entry = reading.entries[flow.entry];
      entry.connections.push_back(arrived[f]);
      entry.largest = std::max(entry.largest, largest[f]);
      entry.offered = entry.arrived += arrived[f];
      if (flow.opened == never) continue;
      if (network_.owns(fleet_.host_of(flow.client)))
        levels[2 * flow.entry] += fleet_.connection(flow.client).sender().congestion().window();
      if (network_.owns(fleet_.host_of(flow.client ^ 1)))
        levels[2 * flow.entry + 1] += fleet_.connection(flow.client ^ 1).receiver().readable();
    }
    reading.levels.insert(reading.levels.end(), levels.begin(), levels.end());
    parts_.share(reading.levels);
    return reading;
  }

  /// Work of cores so far: of each host's kernel, behind them of each end's application.
  std::vector<Duration> work(Instant now) const {
    std::vector<Duration> out;
    for (network::HostIndex h = 0; h < loaded_.graph.hosts.size(); ++h) out.push_back(fleet_.kernel_worked(h, now));
    for (tcp::EndIndex e = 0; e < fleet_.ends(); ++e) out.push_back(fleet_.worked(e, now));
    return out;
  }

  /// Bytes that connections have sent for the first time, and that were read, by entry.
  EntryTotals totals() const {
    EntryTotals out{std::vector<std::int64_t>(s_.tcp.size()), std::vector<std::int64_t>(s_.tcp.size())};
    for (const auto& flow : flows_) {
      out.arrived[flow.entry] += flow.arrived;
      if (flow.opened != never && network_.owns(fleet_.host_of(flow.client)))
        out.offered[flow.entry] += bytes_of(s_.tcp[flow.entry]) - fleet_.connection(flow.client).sender().unsent();
    }
    return out;
  }

  void plan(std::size_t number) {
    const auto& entry = s_.tcp[number];
    const auto from = hosts_of(loaded_.graph, entry.from), to = hosts_of(loaded_.graph, entry.to);
    auto at = Instant{entry.start};
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto other = to[to.size() == 1 ? 0 : i];
      if (other == from[i]) continue;
      for (int c = 0; c < entry.connections; ++c) {
        flows_.push_back({number, fleet_.connect(from[i], other, entry.consumer), never});
        fleet_.wake(at, (flows_.size() - 1) << 2 | open);
        if (at < Instant{longest_run(s_)}) at += entry.stagger;  // those behind the end are never opened
        left_ += network_.owns(other) ? 1 : 0;
      }
    }
    if (entry.keep_for == Duration{}) return;
    fleet_.wake(Instant{entry.keep_at}, number << 2 | keep);
    fleet_.wake(Instant{entry.keep_at + entry.keep_for}, number << 2 | give);
  }

  void alarm(std::uint64_t detail, Instant now) {
    const auto number = static_cast<std::size_t>(detail >> 2);
    switch (static_cast<Alarm>(detail & 3)) {
      case open: {
        auto& flow = flows_[number];
        const auto& entry = s_.tcp[flow.entry];
        flow.opened = now;
        return fleet_.open(flow.client, bytes_of(entry), entry.bytes > Bytes{}, now);
      }
      case keep:
      case give:
        for (const auto& flow : flows_)
          if (flow.entry == number) fleet_.keep_memory(flow.client ^ 1, (detail & 3) == keep, now);
        return;
      case cable_event:
        return apply(s_.events[number], loaded_.graph, network_, now);
    }
  }

  void over(tcp::EndIndex end, Instant now) {
    if (end % 2 == 0) return;  // clients receive nothing
    auto& flow = flows_[end / 2];
    tallies_[flow.entry].times.record(now - flow.opened);
    --left_;
  }

  network::Hosts& hosts() {
    if (capture_) return *capture_;
    return fleet_;
  }

  void gather(Snapshot& before, Snapshot& after);
  void report(const Snapshot& before, const Snapshot& after);
  void report_entry(std::size_t number, Duration window);
  void explain();
  Decimal busiest_core(std::size_t number, unsigned side, Duration window) const;

  const Loaded& loaded_;
  const NetworkScenario& s_;
  NodeHosts nodes_;
  tcp::Fleet fleet_;
  std::unique_ptr<Capture> capture_;
  network::Network network_;
  Parts parts_;
  platform::WindowSearch search_;
  std::vector<FlowTally> tallies_;  ///< of the window
  std::vector<Flow> flows_;
  std::vector<Duration> work_before_, work_after_;
  EntryTotals entries_before_, entries_after_;
  std::vector<tcp::SenderCounters> senders_;  ///< by connection, of what its client sent in the window
  std::int64_t left_ = 0;                     ///< connections to hosts of this rank that are not over
  std::vector<std::int64_t> nic_pauses_;      ///< by host
  std::int64_t nic_dropped_ = 0, sent_again_ = 0;
  Outcome out_;
};

/// What all ranks know comes together in rank 0.
void TcpRunner::gather(Snapshot& before, Snapshot& after) {
  network_run::gather(parts_, before);
  network_run::gather(parts_, after);
  network_run::gather(parts_, entries_before_);
  network_run::gather(parts_, entries_after_);
  work_after_ = work(after.when);
  for (auto* cores : {&work_before_, &work_after_}) parts_.gather(*cores, [](Duration& a, Duration b) { a += b; });
  parts_.gather(tallies_, [](FlowTally& a, const FlowTally& b) {
    a.bytes += b.bytes;
    a.times.merge(b.times);
  });
  std::vector<std::int64_t> sums(2);
  for (network::HostIndex h = 0; h < loaded_.graph.hosts.size(); ++h) {
    sums[0] += fleet_.counters(h).dropped;
    nic_pauses_.push_back(fleet_.counters(h).pauses);
  }
  parts_.sum(nic_pauses_);
  for (const auto& flow : flows_) {
    const bool here = network_.owns(fleet_.host_of(flow.client));
    const auto& sender = fleet_.connection(flow.client).sender();
    senders_.push_back(here ? sender.counters_until(after.when) : tcp::SenderCounters{});
    if (here) sums[1] += sender.counters().sent_again;
  }
  parts_.gather(senders_, [](tcp::SenderCounters& a, const tcp::SenderCounters& b) {
    a.sent_again += b.sent_again;
    a.timeouts += b.timeouts;
    a.probes += b.probes;
    a.closed += b.closed;
  });
  parts_.sum(sums);
  nic_dropped_ = sums[0];
  sent_again_ = sums[1];
}

Decimal TcpRunner::busiest_core(std::size_t number, unsigned side, Duration window) const {
  Duration most{};
  const auto look = [&](std::size_t core) { most = std::max(most, work_after_[core] - work_before_[core]); };
  for (const auto& flow : flows_) {
    if (flow.entry != number) continue;
    look(fleet_.host_of(flow.client ^ side));
    look(loaded_.graph.hosts.size() + (flow.client ^ side));
  }
  return quotient(static_cast<WideInt>(most.count()) * 100, window.count(), 1);
}

void TcpRunner::report_entry(std::size_t number, Duration window) {
  const auto& entry = s_.tcp[number];
  const auto& tally = tallies_[number];
  const auto metric = [&](const char* name, std::optional<Decimal> value) {
    set_metric(out_.results, entry.name + "." + name, value);
  };
  metric("goodput_gbps", quotient(static_cast<WideInt>(tally.bytes) * 8'000'000, window.count(), 3));
  metric("flows", Decimal{tally.times.count(), 0});
  const auto time = [&](const char* name, Duration d) {
    metric(name, tally.times.count() == 0 ? std::nullopt : std::optional{microseconds(d)});
  };
  time("time_p50_us", tally.times.quantile(500'000));
  time("time_p99_us", tally.times.quantile(990'000));
  time("time_max_us", tally.times.largest());
  tcp::SenderCounters sum;
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    if (flows_[f].entry != number) continue;
    const auto& c = senders_[f];
    sum.sent_again += c.sent_again;
    sum.timeouts += c.timeouts;
    sum.probes += c.probes;
    sum.closed += c.closed;
  }
  metric("sent_again", Decimal{sum.sent_again, 0});
  metric("timeouts", Decimal{sum.timeouts, 0});
  metric("probes", Decimal{sum.probes, 0});
  metric("window_closed_us", microseconds(sum.closed));
  metric("send_core_percent", busiest_core(number, 0, window));
  metric("receive_core_percent", busiest_core(number, 1, window));
}

void TcpRunner::report(const Snapshot& before, const Snapshot& after) {
  auto& results = out_.results;
  for (const auto& info : metrics_of(s_))
    results.metrics.push_back({info.name, info.unit, std::nullopt, info.doc, std::nullopt});
  const auto window = after.when - before.when;
  for (std::size_t i = 0; i < s_.tcp.size(); ++i) report_entry(i, window);
  report_window(s_, search_, {}, before.when - Instant{}, window, results);
  auto totals = report_cables(before, after, loaded_.graph, out_);
  totals.dropped += nic_dropped_;
  report_totals(totals, results);
  out_.entries = accounts(entries_before_, entries_after_);
  results.conservation = violations(before, after, loaded_.graph, out_);
  nodes_.add_violations(results.conservation);
  std::int64_t nic_pauses = 0;
  for (const auto pauses : nic_pauses_) nic_pauses += pauses;
  set_metric(results, "network.nic_pauses", Decimal{nic_pauses, 0});
  set_metric(results, "network.nic_dropped", Decimal{nic_dropped_, 0});
  set_metric(results, "network.sent_again", Decimal{sent_again_, 0});
  set_metric(results, "network.deadlock", Decimal{0, 0});
  explain();
}

/// What limits the run: windows that are closed, cores that are busy, NICs that drop, or the busiest cable.
void TcpRunner::explain() {
  const auto value = [&](const std::string& name) {
    const auto* metric = observe::find_metric(out_.results, name);
    return metric != nullptr && metric->value ? metric->value->value() : 0.0;
  };
  const auto text = [&](const std::string& name) {
    return to_string(*observe::find_metric(out_.results, name)->value);
  };
  const auto window = microseconds(out_.results.window).value();
  for (const auto& entry : s_.tcp) {
    const auto flows = static_cast<double>(spelt_out(entry.from).size()) * entry.connections;
    if (value(entry.name + ".window_closed_us") > window * flows / 10)
      out_.said.push_back(entry.name + ": the receive window limited the sender for " +
                          text(entry.name + ".window_closed_us") +
                          " us, summed over its connections; the application returns memory too slowly");
    for (const auto* side : {"send", "receive"})
      if (const auto core = entry.name + "." + side + "_core_percent"; value(core) > 95)
        out_.said.push_back(entry.name + ": a core of a host that " + side + "s is busy for " + text(core) + " %");
  }
  if (value("network.nic_dropped") > 0)
    out_.said.push_back("NICs dropped " + text("network.nic_dropped") + " packets: no free ring entry, or no memory" +
                        (s_.nodes.empty() && s_.slow_hosts.empty() ? "" : ", or their buffer was full"));
  for (network::HostIndex h = 0; h < loaded_.graph.hosts.size(); ++h)
    if (nic_pauses_[h] > 0)
      out_.said.push_back("the NIC of " + loaded_.graph.nodes[loaded_.graph.hosts[h]].name + " paused its switch " +
                          std::to_string(nic_pauses_[h]) + " times: its host accepts less than the wire rate");
  for (std::size_t i = 0; i < out_.nodes.size(); ++i) out_.said.push_back(sentence(s_.nodes[i], out_.nodes[i]));
  if (!out_.cables.empty()) out_.said.push_back(busiest(out_));
  if (!out_.said.empty()) out_.results.bottleneck = out_.said.front();
}

}  // namespace

tl::expected<Outcome, Problems> run_tcp(const Loaded& loaded, const Options& options) {
  auto nodes = NodeHosts::make(loaded, options.ranks);
  if (!nodes) return tl::unexpected{std::move(nodes.error())};
  TcpRunner runner{loaded, std::move(*nodes), options};
  if (auto problems = runner.problems(); !problems.empty()) return tl::unexpected{std::move(problems)};
  return runner.run(options);
}

}  // namespace peerpath::network_run
