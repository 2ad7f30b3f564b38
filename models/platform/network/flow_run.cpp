#include "platform/network/flow_run.hpp"

#include <algorithm>

#include "flows/channels.hpp"
#include "peerpath/observe/finish.hpp"
#include "platform/network/accounts.hpp"
#include "platform/network/cable_report.hpp"
#include "platform/network/collective_entries.hpp"
#include "platform/network/host_limits.hpp"
#include "platform/network/network_window.hpp"
#include "platform/network/rdma_tally.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {
namespace {

using namespace network_scenario;
using observe::quotient;

flows::ChannelConfig channel_config(const Loaded& loaded, const std::vector<NodeFit>& fits) {
  const auto& s = loaded.scenario;
  auto limits = host_limits(loaded, fits);
  return {.mtu = s.nics.mtu,
          .port_by_qp = s.nics.source_port == SourcePort::by_qp,
          .path = s.switches.path,
          .switch_latency = s.switches.latency,
          .seed = static_cast<std::uint64_t>(s.run.seed),
          .drain = std::move(limits.drain),
          .fetch = std::move(limits.fetch),
          .latency = std::move(limits.latency)};
}

class FlowRunner {
 public:
  FlowRunner(const Loaded& loaded, std::vector<NodeFit> fits, std::int64_t most_flows)
      : loaded_{loaded},
        s_{loaded.scenario},
        channels_{loaded.graph, channel_config(loaded, fits)},
        window_{s_.rdma, 0},
        search_{window_plan(s_), window_.watched(), {}},
        tallies_(s_.rdma.size()),
        posted_(s_.rdma.size()),
        collectives_{loaded, channels_.carrier(),
                     [this](Instant when, std::size_t number) { wake(when, of_collectives, number); }, most_flows} {
    out_.nodes = std::move(fits);
    channels_.arrived = [this](auto channel, auto number, Instant now) { collectives_.arrived(channel, number, now); };
    channels_.completed = [this](auto channel, auto number, Instant posted, Instant now) {
      completed(channel, number, posted, now);
    };
    channels_.alarm = [this](std::uint64_t detail, Instant now) { alarm(detail, now); };
    for (std::size_t i = 0; i < s_.rdma.size(); ++i) wake(Instant{s_.rdma[i].start}, start_rdma, i);
    collectives_.schedule();
    for (std::size_t i = 0; i < s_.events.size(); ++i) {
      wake(Instant{s_.events[i].at}, cable_event, i);
      wake(Instant{s_.events[i].at + s_.switches.convergence}, routes_follow, i);
    }
  }

  Outcome run(const Options& options) {
    now_ = run_course(s_, search_,
                      {.advance =
                           [this](Instant until) {
                             channels_.run(until);
                             return until;
                           },
                       .over = [this] { return is_over(); },
                       .step = [this, &options](Instant now) { return is_to_stop(now, options); },
                       .read = [this](Instant now) { return read(now); },
                       .begin = [this](Instant now) { begin_window(now); }});
    take_tallies(now_);
    if (is_over()) now_ = std::max(begin_, channels_.now());
    return outcome();
  }

 private:
  enum Alarm : std::uint64_t { start_rdma, cable_event, routes_follow, of_collectives };
  static constexpr int alarm_bits = 2;

  void begin_window(Instant now) {
    begin_ = now;
    take_tallies(now);
    before_ = channels_.busy(now);
    entries_before_ = {posted_, window_.arrived()};
    window_.begin();
  }

  bool is_to_stop(Instant now, const Options& options) {
    if (options.progress) options.progress(now.time_since_epoch(), longest_run(s_));
    if (!options.stop || !options.stop()) return false;
    out_.results.complete = false;
    return true;
  }

  void take_tallies(Instant now) {
    count_bytes(now);
    window_.add(std::exchange(tallies_, std::vector<Tally>(s_.rdma.size())));
  }
  platform::Reading read(Instant now) {
    take_tallies(now);
    return {now, window_.read(posted_, nullptr), {}};
  }

  void wake(Instant when, Alarm alarm, std::size_t number) { channels_.wake(when, number << alarm_bits | alarm); }

  void alarm(std::uint64_t detail, Instant now) {
    const auto number = static_cast<std::size_t>(detail >> alarm_bits);
    switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
      case start_rdma:
        return begin(number, now);
      case cable_event:
        return channels_.set_cable(*cable_of(s_.events[number], loaded_.graph), s_.events[number].up);
      case routes_follow:
        return channels_.reroute();
      case of_collectives:
        return collectives_.timed(number, now);
    }
  }

  /// A read's bytes flow from the other end.
  void begin(std::size_t number, Instant now) {
    const auto& entry = s_.rdma[number];
    const auto from = hosts_of(loaded_.graph, entry.from), to = hosts_of(loaded_.graph, entry.to);
    const bool back = entry.operation == roce::Work::read;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto other = to[to.size() == 1 ? 0 : i];
      if (other == from[i]) continue;
      for (int q = 0; q < entry.qps; ++q) {
        const auto channel = channels_.connect(from[i], other) + (back ? 1 : 0);
        if (uses_.size() <= channel) uses_.resize(channel + 1), counted_.resize(channel + 1);
        uses_[channel] = EntryUse{number, entry.messages == 0 ? -1 : entry.messages};
        for (int m = 0; m < entry.outstanding; ++m) post_next(channel, now);
      }
    }
  }

  void post_next(flows::ChannelIndex channel, Instant now) {
    auto& use = *uses_[channel];
    if (!use.take()) return;
    posted_[use.entry] += s_.rdma[use.entry].size.count();
    channels_.post(channel, s_.rdma[use.entry].size, 0, now);
  }

  void completed(flows::ChannelIndex channel, std::uint32_t number, Instant posted, Instant now) {
    if (channel >= uses_.size() || !uses_[channel]) return collectives_.heard(channel, number, now);
    auto& tally = tallies_[uses_[channel]->entry];
    ++tally.messages;
    tally.latency.record(now - posted);
    post_next(channel, now);
  }

  /// What has arrived since this was called last.
  void count_bytes(Instant now) {
    for (flows::ChannelIndex c = 0; c < uses_.size(); ++c) {
      if (!uses_[c]) continue;
      const auto all = channels_.carried(c, now);
      tallies_[uses_[c]->entry].bytes += (all - std::exchange(counted_[c], all)).count();
    }
  }

  bool is_over() const { return s_.rdma.empty() && !collectives_.none() && collectives_.over(); }

  Outcome outcome();
  void report_cables();

  const Loaded& loaded_;
  const NetworkScenario& s_;
  flows::Channels channels_;
  Instant begin_{}, now_{};
  RdmaWindow window_;
  platform::WindowSearch search_;
  std::vector<Tally> tallies_;
  std::vector<std::int64_t> posted_;  ///< payload since the start, by entry
  EntryTotals entries_before_;
  std::vector<std::optional<EntryUse>> uses_;  ///< by channel
  std::vector<Bytes> counted_;                 ///< by channel: what is in the tally of its entry
  CollectiveEntries collectives_;
  std::vector<Duration> before_;
  Outcome out_;
};

void FlowRunner::report_cables() {
  const auto window = (now_ - begin_).count();
  const auto busy = channels_.busy(now_);
  for (network::PortIndex p = 0; p < busy.size(); ++p)
    out_.cables.push_back(
        {.name = loaded_.graph.name_of(p),
         .busy_percent = quotient(static_cast<WideInt>((busy[p] - before_[p]).count()) * 100, window, 1)});
  busiest_first(out_.cables);
}

Outcome FlowRunner::outcome() {
  for (const auto& info : metrics_of(s_))
    out_.results.metrics.push_back({info.name, info.unit, std::nullopt, info.doc, std::nullopt});
  report_rdma(s_, window_.window(), now_ - begin_, out_.results);
  report_window(s_, search_, window_.latencies(), begin_ - Instant{}, now_ - begin_, out_.results);
  report_cables();
  out_.entries = accounts(entries_before_, {posted_, window_.arrived()});
  for (std::size_t i = 0; i < out_.nodes.size(); ++i) out_.said.push_back(sentence(s_.nodes[i], out_.nodes[i]));
  if (!out_.cables.empty()) out_.said.push_back(busiest(out_));
  if (!out_.said.empty()) out_.results.bottleneck = out_.said.front();
  const auto played = collectives_.played();
  out_.jobs = collectives_.uses();
  collectives_.report(played, out_.jobs, out_.results);
  for (auto& said : collectives_.remarks(played)) out_.said.push_back(std::move(said));
  out_.said.push_back(
      "level flows simulates no queues, losses, marks or pauses, so congestion does not spread between flows");
  return std::move(out_);
}

}  // namespace

tl::expected<Outcome, Problems> run_flows(const Loaded& loaded, const Options& options, std::int64_t most_flows) {
  if (options.capture)
    return tl::unexpected{
        Problems{{loaded.file.generic_string(), 0, 0, "/run/level", "\"flows\" has no frames to capture"}}};
  if (options.ranks != nullptr)
    return tl::unexpected{Problems{
        {loaded.file.generic_string(), 0, 0, "/run/level", "\"flows\" runs in one process; start it without mpirun"}}};
  auto fits = fit_nodes(loaded);
  if (!fits) return tl::unexpected{std::move(fits.error())};
  return FlowRunner{loaded, std::move(*fits), most_flows}.run(options);
}

}  // namespace peerpath::network_run
