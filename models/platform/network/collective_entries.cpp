#include "platform/network/collective_entries.hpp"

#include <algorithm>

#include "collective/pattern.hpp"
#include "platform/network/cable_report.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;

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

observe::Decimal gigabytes_per_second(WideInt bytes, Duration time) {
  return observe::quotient(bytes * 1'000'000, time.count(), 3);
}

/// How long the collective of that number took, and what a NIC sent meanwhile. `use`: summed over its hosts.
void report_collective(const Loaded& loaded, std::size_t number, Duration took, const collective::ServerLinks::Use& use,
                       observe::Results& results) {
  const auto& s = loaded.scenario;
  const auto& entry = s.collectives[number];
  const auto metric = [&](const char* what, Decimal value) { set_metric(results, entry.name + what, value); };
  metric(".time_us", microseconds(took));
  const auto ranks = static_cast<std::int64_t>(spelt_out(entry.hosts).size());
  const bool moves = took > Duration{};  // unless no rank has anything for another, as where all tokens stay
  if (moves) metric(".nic_gbps", gbps(nic_bytes(loaded, entry) * 8, took));
  if (moves && entry.sizes.empty()) {  // with sizes of their own, messages do not add up to `bytes`
    metric(".algbw", gigabytes_per_second(entry.bytes.count(), took));
    metric(".busbw", gigabytes_per_second(WideInt{entry.bytes.count()} * bus_factor(entry.kind, ranks) / ranks, took));
  }
  if (s.servers.gpus == 1) return;
  metric(".inside_us", microseconds(use.inside / ranks));
  metric(".between_us", microseconds(use.between / ranks));
}

/// How long a job took, if all of its ranks came to their end, and what they did meanwhile.
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

/// What was left out of the entry's job; nothing if it was all played.
std::optional<std::string> left_out_of(const Loaded& loaded, std::size_t trace) {
  const auto count = loaded.workloads[trace].left_out;
  if (count == 0) return std::nullopt;
  return loaded.scenario.traces[trace].name + ": " + std::to_string(count) +
         " control dependencies name nodes that are not in the files; they are ignored";
}

/// So many steps in proportion to those that were played.
Duration in_proportion(Duration time, std::uint32_t all, std::uint32_t steps) {
  return Duration{static_cast<std::int64_t>(static_cast<WideInt>(time.count()) * all / steps)};
}

}  // namespace

void Played::merge(const Played& other) {
  over &= other.over;
  ended = std::max(ended, other.ended);
  inside += other.inside;
  between += other.between;
}

CollectiveEntries::CollectiveEntries(const Loaded& loaded, collective::Carrier carrier, Wake wake, std::int64_t most)
    : loaded_{loaded},
      s_{loaded.scenario},
      carrier_{std::move(carrier)},
      wake_{std::move(wake)},
      most_{most},
      players_(s_.collectives.size()),
      jobs_(s_.traces.size()),
      links_{server_config(s_), loaded.graph.hosts.size(), players_.size() + jobs_.size(),
             [this](Instant when, std::size_t number) { this->wake(when, over_links, number); }} {
  links_.arrived = [this](auto channel, auto number, Instant now) { arrived(channel, number, now); };
  links_.acknowledged = [this](auto channel, auto number, Instant now) { acknowledged(channel, number, now); };
}

void CollectiveEntries::schedule() {
  for (std::size_t i = 0; i < players_.size(); ++i) wake(Instant{s_.collectives[i].start}, start_collective, i);
  for (std::size_t i = 0; i < jobs_.size(); ++i) wake(Instant{s_.traces[i].start}, start_trace, i);
}

void CollectiveEntries::timed(std::size_t detail, Instant now) {
  const auto number = detail >> alarm_bits;
  switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
    case start_collective:
      return begin_collective(number, now);
    case start_trace:
      return begin_job(number, now);
    case task_over:  // by trace, as many as there are, and the number that its player gave
      return jobs_[number % jobs_.size()]->timed(static_cast<std::uint32_t>(number / jobs_.size()), now);
    case over_links:
      return links_.timed(number, now);
  }
}

void CollectiveEntries::begin_collective(std::size_t number, Instant now) {
  const auto& entry = s_.collectives[number];
  auto& [steps, all, rings] = players_[number];
  const auto sample = sample_of(s_, entry, most_);
  steps = sample.steps;
  all = sample.all;
  for (const auto& ranks : ranks_of(entry, loaded_.graph))
    rings.emplace_back(links_.carrier(number, carrier_), sample.schedule, ranks, player_config(entry));
  for (auto& ring : rings) ring.start(now);
}

void CollectiveEntries::begin_job(std::size_t number, Instant now) {
  const auto& entry = s_.traces[number];
  jobs_[number] = std::make_unique<collective::WorkloadPlayer>(
      links_.carrier(players_.size() + number, carrier_), loaded_.workloads[number],
      hosts_of(loaded_.graph, entry.hosts), collective::PlayerConfig{entry.qps, entry.qp_use, entry.clear_to_send},
      entry.workload_config(),
      [this, number](Instant when, std::uint32_t timer) { wake(when, task_over, timer * jobs_.size() + number); });
  jobs_[number]->start(now);
}

void CollectiveEntries::arrived(collective::ChannelIndex channel, std::uint32_t number, Instant now) {
  for (auto& playing : players_)
    for (auto& ring : playing.rings)
      if (ring.arrived(channel, number, now)) return;
  for (auto& job : jobs_)
    if (job && job->arrived(channel, number, now)) return;
}

void CollectiveEntries::heard(collective::ChannelIndex channel, std::uint32_t number, Instant now) {
  links_.heard(channel, now);
  acknowledged(channel, number, now);
}

void CollectiveEntries::acknowledged(collective::ChannelIndex channel, std::uint32_t number, Instant now) {
  for (auto& playing : players_)
    for (auto& ring : playing.rings)
      if (ring.acknowledged(channel, number, now)) return;
  for (auto& job : jobs_)
    if (job && job->acknowledged(channel, number, now)) return;
}

bool CollectiveEntries::over() const {
  const auto played = this->played();
  return std::ranges::all_of(played, &Played::over) &&
         std::ranges::all_of(jobs_, [](const auto& job) { return job && job->over(); });
}

std::vector<Played> CollectiveEntries::played() const {
  std::vector<Played> out;
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const auto use = links_.use_of(i);
    Played played{!players_[i].rings.empty(), {}, use.inside.count(), use.between.count()};
    for (const auto& ring : players_[i].rings) {
      played.over &= ring.over();
      played.ended = std::max(played.ended, ring.ended());
    }
    out.push_back(played);
  }
  return out;
}

std::vector<CollectiveEntries::Uses> CollectiveEntries::uses() const {
  std::vector<Uses> out;
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    out.push_back(jobs_[i] ? jobs_[i]->uses() : Uses(loaded_.workloads[i].ranks.size()));
  return out;
}

void CollectiveEntries::report(const std::vector<Played>& played, const std::vector<Uses>& uses,
                               observe::Results& results) const {
  for (std::size_t i = 0; i < played.size(); ++i) {
    if (!played[i].over) continue;
    const auto of_all = [&](Duration time) { return in_proportion(time, players_[i].all, players_[i].steps); };
    report_collective(loaded_, i, of_all(played[i].ended - Instant{s_.collectives[i].start}),
                      {of_all(Duration{played[i].inside}), of_all(Duration{played[i].between})}, results);
  }
  for (std::size_t i = 0; i < uses.size(); ++i) report_trace(s_.traces[i], uses[i], results);
}

std::vector<std::string> CollectiveEntries::remarks(const std::vector<Played>& played) const {
  std::vector<std::string> said;
  for (std::size_t i = 0; i < played.size(); ++i) {
    const auto& [steps, all, rings] = players_[i];
    const auto& entry = s_.collectives[i];
    if (played[i].over && steps < all)
      said.push_back(entry.name + ": " + std::to_string(steps) + " of " + std::to_string(all) +
                     " steps were simulated, in " + to_string(microseconds(played[i].ended - Instant{entry.start})) +
                     " us; its time is extrapolated in proportion");
  }
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    if (auto left_out = left_out_of(loaded_, i)) said.push_back(std::move(*left_out));
  return said;
}

}  // namespace peerpath::network_run
