#include "platform/network/flow_run.hpp"

#include <algorithm>
#include <deque>

#include "collective/player.hpp"
#include "flows/channels.hpp"
#include "peerpath/observe/finish.hpp"
#include "platform/network/cable_report.hpp"
#include "platform/network/host_limits.hpp"
#include "platform/network/rdma_entries.hpp"
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

/// A collective, or as much of it as is played.
struct PlayedSample {
  Sample sample{};
  std::deque<collective::Player> rings{};
};

class FlowRunner {
 public:
  FlowRunner(const Loaded& loaded, std::vector<NodeFit> fits, std::int64_t most_flows)
      : loaded_{loaded},
        s_{loaded.scenario},
        channels_{loaded.graph, channel_config(loaded, fits)},
        most_flows_{most_flows},
        begin_{s_.run.warmup},
        end_{begin_ + s_.run.measure},
        tallies_(s_.rdma.size()),
        collectives_(s_.collectives.size()),
        jobs_(s_.traces.size()),
        links_{server_config(s_), loaded.graph.hosts.size(), s_.collectives.size() + s_.traces.size(),
               [this](Instant when, std::size_t number) { wake(when, over_links, number); }} {
    links_.arrived = [this](auto channel, auto number, Instant now) { arrived(channel, number, now); };
    links_.acknowledged = [this](auto channel, auto number, Instant now) { acknowledged(channel, number, now); };
    out_.nodes = std::move(fits);
    channels_.arrived = [this](auto channel, auto number, Instant now) { arrived(channel, number, now); };
    channels_.completed = [this](auto channel, auto number, Instant posted, Instant now) {
      completed(channel, number, posted, now);
    };
    channels_.alarm = [this](std::uint64_t detail, Instant now) { alarm(detail, now); };
    for (std::size_t i = 0; i < s_.rdma.size(); ++i) wake(Instant{s_.rdma[i].start}, start_rdma, i);
    for (std::size_t i = 0; i < s_.collectives.size(); ++i) wake(Instant{s_.collectives[i].start}, start_collective, i);
    for (std::size_t i = 0; i < s_.traces.size(); ++i) wake(Instant{s_.traces[i].start}, start_trace, i);
    for (std::size_t i = 0; i < s_.events.size(); ++i) {
      wake(Instant{s_.events[i].at}, cable_event, i);
      wake(Instant{s_.events[i].at + s_.switches.convergence}, routes_follow, i);
    }
  }

  Outcome run(const Options& options) {
    channels_.run(begin_);
    before_ = channels_.sent();
    now_ = begin_;
    const auto step = std::min<Duration>(s_.run.measure, s_.run.patience);
    while (now_ < end_ && !is_over()) {
      now_ = std::min(end_, now_ + step);
      channels_.run(now_);
      if (options.progress) options.progress(now_.time_since_epoch(), end_.time_since_epoch());
      if (options.stop && options.stop()) {
        out_.results.complete = false;
        break;
      }
    }
    if (is_over()) now_ = std::max(begin_, channels_.now());
    return outcome();
  }

 private:
  enum Alarm : std::uint64_t {
    start_rdma,
    start_collective,
    start_trace,
    task_over,
    cable_event,
    routes_follow,
    over_links
  };
  static constexpr int alarm_bits = 3;
  void wake(Instant when, Alarm alarm, std::size_t number) { channels_.wake(when, number << alarm_bits | alarm); }

  void alarm(std::uint64_t detail, Instant now) {
    const auto number = static_cast<std::size_t>(detail >> alarm_bits);
    switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
      case start_rdma:
        return begin(number, now);
      case start_collective:
        return begin_collective(number, now);
      case start_trace:
        return begin_job(number, now);
      case task_over:
        return jobs_[number % jobs_.size()]->timed(static_cast<std::uint32_t>(number / jobs_.size()), now);
      case cable_event:
        return channels_.set_cable(*cable_of(s_.events[number], loaded_.graph), s_.events[number].up);
      case routes_follow:
        return channels_.reroute();
      case over_links:
        return links_.timed(number, now);
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
        if (uses_.size() <= channel) uses_.resize(channel + 1);
        uses_[channel] = EntryUse{number, entry.messages == 0 ? -1 : entry.messages};
        for (int m = 0; m < entry.outstanding; ++m) post_next(channel, now);
      }
    }
  }

  void post_next(flows::ChannelIndex channel, Instant now) {
    auto& use = *uses_[channel];
    if (use.take()) channels_.post(channel, s_.rdma[use.entry].size, 0, now);
  }

  void completed(flows::ChannelIndex channel, std::uint32_t number, Instant posted, Instant now) {
    if (channel >= uses_.size() || !uses_[channel]) {
      links_.heard(channel, now);
      return acknowledged(channel, number, now);
    }
    if (now >= begin_ && now < end_) {
      auto& tally = tallies_[uses_[channel]->entry];
      ++tally.messages;
      tally.latency.record(now - posted);
    }
    post_next(channel, now);
  }

  void begin_collective(std::size_t number, Instant now) {
    const auto& entry = s_.collectives[number];
    auto& played = collectives_[number];
    played.sample = sample_of(s_, entry, most_flows_);
    for (const auto& ranks : ranks_of(entry, loaded_.graph))
      played.rings.emplace_back(links_.carrier(number, channels_.carrier()), played.sample.schedule, ranks,
                                player_config(entry));
    for (auto& ring : played.rings) ring.start(now);
  }

  void begin_job(std::size_t number, Instant now) {
    jobs_[number] = std::make_unique<collective::WorkloadPlayer>(player_of(
        loaded_, number, links_.carrier(s_.collectives.size() + number, channels_.carrier()),
        [this, number](Instant when, std::uint32_t timer) { wake(when, task_over, timer * jobs_.size() + number); }));
    jobs_[number]->start(now);
  }

  void arrived(flows::ChannelIndex channel, std::uint32_t number, Instant now) {
    for (auto& played : collectives_)
      for (auto& ring : played.rings)
        if (ring.arrived(channel, number, now)) return;
    for (auto& job : jobs_)
      if (job && job->arrived(channel, number, now)) return;
  }

  void acknowledged(flows::ChannelIndex channel, std::uint32_t number, Instant now) {
    for (auto& played : collectives_)
      for (auto& ring : played.rings)
        if (ring.acknowledged(channel, number, now)) return;
    for (auto& job : jobs_)
      if (job && job->acknowledged(channel, number, now)) return;
  }

  bool is_over() const {
    if (!s_.rdma.empty() || (s_.collectives.empty() && s_.traces.empty())) return false;
    for (const auto& job : jobs_)
      if (!job || !job->over()) return false;
    for (const auto& played : collectives_) {
      if (played.rings.empty()) return false;
      for (const auto& ring : played.rings)
        if (!ring.over()) return false;
    }
    return true;
  }

  Outcome outcome();
  void report_collectives();
  void report_jobs();
  void report_cables();

  const Loaded& loaded_;
  const NetworkScenario& s_;
  flows::Channels channels_;
  std::int64_t most_flows_;
  Instant begin_, end_, now_{};
  std::vector<Tally> tallies_;
  std::vector<std::optional<EntryUse>> uses_;  ///< by channel
  std::vector<PlayedSample> collectives_;
  std::vector<std::unique_ptr<collective::WorkloadPlayer>> jobs_;
  collective::ServerLinks links_;
  std::vector<std::int64_t> before_;
  Outcome out_;
};

void FlowRunner::report_collectives() {
  for (std::size_t i = 0; i < collectives_.size(); ++i) {
    const auto& played = collectives_[i];
    const auto& entry = s_.collectives[i];
    Instant ended{};
    bool over = !played.rings.empty();
    for (const auto& ring : played.rings) {
      over &= ring.over();
      ended = std::max(ended, ring.ended());
    }
    if (!over) continue;
    const auto& sample = played.sample;
    const auto took = ended - Instant{entry.start};
    const auto of_all = [&](Duration time) {
      return Duration{static_cast<std::int64_t>(static_cast<WideInt>(time.count()) * sample.all / sample.steps)};
    };
    const auto use = links_.use_of(i);
    report_collective(loaded_, i, of_all(took), {of_all(use.inside), of_all(use.between)}, out_.results);
    if (sample.steps < sample.all)
      out_.said.push_back(entry.name + ": " + std::to_string(sample.steps) + " of " + std::to_string(sample.all) +
                          " steps were played, in " + to_string(microseconds(took)) +
                          " us; its time is theirs in proportion");
  }
}

void FlowRunner::report_jobs() {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    out_.jobs.push_back(jobs_[i] ? jobs_[i]->uses()
                                 : std::vector<collective::RankUse>(loaded_.workloads[i].ranks.size()));
    report_trace(s_.traces[i], out_.jobs.back(), out_.results);
    if (auto said = left_out_of(loaded_, i)) out_.said.push_back(std::move(*said));
  }
}

void FlowRunner::report_cables() {
  const auto window = (now_ - begin_).count();
  const auto& sent = channels_.sent();
  for (network::PortIndex p = 0; p < sent.size(); ++p) {
    const auto time = Bytes{sent[p] - before_[p]} / loaded_.graph.cables[p / 2].rate;
    out_.cables.push_back({.name = loaded_.graph.name_of(p),
                           .busy_percent = quotient(static_cast<WideInt>(time.count()) * 100, window, 1)});
  }
  busiest_first(out_.cables);
}

Outcome FlowRunner::outcome() {
  for (const auto& info : metrics_of(s_))
    out_.results.metrics.push_back({info.name, info.unit, std::nullopt, info.doc, std::nullopt});
  out_.results.warmup = s_.run.warmup;
  out_.results.window = now_ - begin_;
  out_.results.wanted_window = s_.run.measure;
  report_rdma(s_, tallies_, out_.results.window, out_.results);
  report_cables();
  for (std::size_t i = 0; i < out_.nodes.size(); ++i) out_.said.push_back(sentence(s_.nodes[i], out_.nodes[i]));
  if (!out_.cables.empty()) out_.said.push_back(busiest(out_));
  if (!out_.said.empty()) out_.results.bottleneck = out_.said.front();
  report_collectives();
  report_jobs();
  out_.said.push_back(
      "level of flows: no queues, losses, marks or pauses, so no host is held up by what another's pauses spread");
  return std::move(out_);
}

}  // namespace

tl::expected<Outcome, Problems> run_flows(const Loaded& loaded, const Options& options, std::int64_t most_flows) {
  if (options.capture)
    return tl::unexpected{
        Problems{{loaded.file.generic_string(), 0, 0, "/run/level", "\"flows\" has no frames to capture"}}};
  if (options.ranks != nullptr)
    return tl::unexpected{
        Problems{{loaded.file.generic_string(), 0, 0, "/run/level", "\"flows\" runs in one process, without mpirun"}}};
  auto fits = fit_nodes(loaded);
  if (!fits) return tl::unexpected{std::move(fits.error())};
  return FlowRunner{loaded, std::move(*fits), most_flows}.run(options);
}

}  // namespace peerpath::network_run
