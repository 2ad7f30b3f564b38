#include "platform/network/rdma_entries.hpp"

#include <algorithm>

#include "scenario/network/names.hpp"
#include "scenario/network/window.hpp"

namespace peerpath::network_run {

using namespace network_scenario;

namespace {

roce::WorkRequest request(const Rdma& entry) {
  return {.work = entry.operation, .length = static_cast<std::uint32_t>(entry.size.count()), .swap_or_add = 1};
}

constexpr std::int64_t atomic_bytes = 8;

int messages_of(const Rdma& entry) { return entry.messages == 0 ? -1 : entry.messages; }

}  // namespace

RdmaEntries::RdmaEntries(const Loaded& loaded, roce::Fleet& fleet, Wake wake)
    : loaded_{loaded},
      entries_{loaded.scenario.rdma},
      fleet_{fleet},
      wake_{std::move(wake)},
      end_{longest_run(loaded.scenario)},
      tallies_(entries_.size()),
      posted_(entries_.size()),
      datagrams_{entries_, loaded.graph, fleet, posted_},
      alone_{loaded.graph, loaded.scenario.switches, loaded.scenario.nics.mtu} {}

void RdmaEntries::schedule() {
  for (std::size_t i = 0; i < entries_.size(); ++i) wake(Instant{entries_[i].start}, start, i);
}

void RdmaEntries::timed(std::size_t detail, Instant now) {
  const auto number = detail >> alarm_bits;
  switch (static_cast<Alarm>(detail & ((1 << alarm_bits) - 1))) {
    case start:
      return begin(number, now);
    case next_message:
      return post_timed(number, now);
    case next_arrival:
      return post_arrived(number, now);
  }
}

/// To a place by chance, if the entry has several: a queue pair draws for itself, so that ranks agree.
roce::WorkRequest RdmaEntries::request(const Rdma& entry, EntryUse& use, roce::QpIndex qp) const {
  auto made = network_run::request(entry);
  if (entry.registered == Bytes{}) return made;
  const auto places = static_cast<std::uint64_t>(entry.registered / entry.size);
  Random random{static_cast<std::uint64_t>(loaded_.scenario.run.seed) + use.posted++, "place of " + std::to_string(qp)};
  made.remote_address = random.below(places) * static_cast<std::uint64_t>(entry.size.count());
  return made;
}

std::size_t RdmaEntries::messages_until_end(const Rdma& entry, Instant now) const {
  const auto most = now > end_ ? 1 : (end_ - now) / entry.interval + 1;
  return static_cast<std::size_t>(entry.messages == 0 ? most : std::min<std::int64_t>(most, entry.messages));
}

roce::QpIndex RdmaEntries::reserve(std::size_t connections, std::size_t entry) {
  const auto first = fleet_.reserve(connections);
  const auto end = static_cast<roce::QpIndex>(first + 2 * connections);
  if (!numbers_.empty() && numbers_.back().end == first && numbers_.back().entry == entry)
    numbers_.back().end = end;
  else
    numbers_.push_back({first, end, entry});
  return first;
}

void RdmaEntries::open(roce::QpIndex qp, roce::HostIndex from, roce::HostIndex to, std::size_t entry) {
  fleet_.open(qp, from, to);
  fleet_.set_priority(qp, entries_[entry].priority);
}

void RdmaEntries::begin(std::size_t number, Instant now) {
  const auto& entry = entries_[number];
  if (entry.transport == Transport::ud) return datagrams_.begin(number, now);
  if (entry.load > 0) return begin_load(number, now);
  const auto from = hosts_of(loaded_.graph, entry.from), to = hosts_of(loaded_.graph, entry.to);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto other = to[to.size() == 1 ? 0 : i];
    if (other == from[i]) continue;
    for (int q = 0; q < entry.qps; ++q) {
      if (entry.interval > Duration{}) {
        const auto qp = reserve(entry.fresh ? messages_until_end(entry, now) : 1, number);
        timers_.push_back({number, from[i], other, qp, messages_of(entry), false});
        if (fleet_.owns(from[i])) post_timed(timers_.size() - 1, now);
        continue;
      }
      const auto qp = reserve(1, number);
      if (!fleet_.owns(from[i])) continue;
      open(qp, from[i], other, number);
      uses_[qp] = {number, messages_of(entry)};
      for (int m = 0; m < entry.outstanding; ++m) post_next(qp, now);
    }
  }
}

void RdmaEntries::post_next(roce::QpIndex qp, Instant now) {
  auto& use = uses_[qp];
  if (!use.take()) return;
  posted_[use.entry] += entries_[use.entry].size.count();
  fleet_.post(qp, request(entries_[use.entry], use, qp), now);
}

void RdmaEntries::post_timed(std::size_t number, Instant now) {
  auto& t = timers_[number];
  const auto& entry = entries_[t.entry];
  if (t.left == 0) return;
  if (t.left > 0) --t.left;
  const auto qp = t.qp;
  if (!t.connected || entry.fresh) {
    open(qp, t.from, t.to, t.entry);
    t.connected = true;
    uses_[qp] = {t.entry, 0};
  }
  if (entry.fresh) t.qp += 2;
  posted_[t.entry] += entry.size.count();
  fleet_.post(qp, network_run::request(entry), now);
  wake(now + entry.interval, next_message, number);
}

void RdmaEntries::begin_load(std::size_t number, Instant now) {
  auto& offered = offered_.emplace_back(Offered{
      number, arrivals(entries_[number], loaded_.graph, now, std::max(now, end_), loaded_.scenario.run.seed), 0, 0});
  offered.first = reserve(offered.all.size(), number);
  if (!offered.all.empty()) wake(offered.all.front().at, next_arrival, offered_.size() - 1);
}

void RdmaEntries::post_arrived(std::size_t number, Instant now) {
  auto& offered = offered_[number];
  for (; offered.next < offered.all.size() && offered.all[offered.next].at <= now; ++offered.next) {
    const auto& a = offered.all[offered.next];
    if (!fleet_.owns(a.from)) continue;
    const auto qp = static_cast<roce::QpIndex>(offered.first + 2 * offered.next);
    open(qp, a.from, a.to, offered.entry);
    uses_[qp] = {offered.entry, 0, a.size, alone_.latency(a.from, a.to, a.size, entries_[offered.entry].operation)};
    auto posted = network_run::request(entries_[offered.entry]);
    posted.length = static_cast<std::uint32_t>(a.size.count());
    posted_[offered.entry] += a.size.count();
    fleet_.post(qp, posted, now);
  }
  if (offered.next < offered.all.size()) wake(offered.all[offered.next].at, next_arrival, number);
}

void RdmaEntries::delivered(roce::QpIndex qp, std::uint32_t bytes) {
  const auto behind = std::ranges::upper_bound(numbers_, qp, {}, &Numbers::begin);
  if (behind != numbers_.begin() && qp < std::prev(behind)->end) tallies_[std::prev(behind)->entry].bytes += bytes;
}

std::vector<Tally> RdmaEntries::take_tallies() { return std::exchange(tallies_, std::vector<Tally>(entries_.size())); }

std::vector<std::vector<std::int64_t>> RdmaEntries::rates(Instant now, const network::Network& network) const {
  std::vector<std::vector<std::int64_t>> rates(entries_.size());
  std::vector<std::int64_t> steps(entries_.size());
  for (const auto& [begin, end, number] : numbers_) {
    if (entries_[number].load > 0 || entries_[number].interval > Duration{}) continue;
    for (auto qp = begin; qp < end; qp += 2) {
      const bool here = uses_.contains(qp);
      rates[number].push_back(here ? fleet_.rate(qp, now).bps() : 0);
      if (!here) continue;
      const auto line = network.port(network.port_of(fleet_.host_of(qp))).rate;
      steps[number] += roce::parameters(loaded_.scenario.nics.dcqcn, line).additive.bps();
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i].push_back(steps[i]);
  return rates;
}

bool RdmaEntries::completed(roce::QpIndex qp, const roce::Completion& completion, Instant posted, Instant now) {
  const auto found = uses_.find(qp);
  if (found == uses_.end()) return false;
  auto& tally = tallies_[found->second.entry];
  const bool success = completion.status == roce::WorkStatus::success;
  if (success) {
    ++tally.messages;
    if (roce::is_atomic(entries_[found->second.entry].operation)) tally.bytes += atomic_bytes;
    tally.latency.record(now - posted);
    if (found->second.alone > Duration{}) record_slowdown(tally, found->second, now - posted);
  } else {
    ++tally.failed;
  }
  if (success) post_next(qp, now);
  return true;
}

}  // namespace peerpath::network_run
