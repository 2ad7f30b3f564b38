#include "platform/network/rdma_tally.hpp"

#include <algorithm>

#include "platform/network/cable_report.hpp"
#include "scenario/network/message_sizes.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;
using observe::quotient;

namespace {

constexpr std::int64_t slowdown_unit = 1'000'000;
constexpr Bytes small_message{3000};

}  // namespace

void Tally::merge(const Tally& other) {
  messages += other.messages;
  failed += other.failed;
  bytes += other.bytes;
  latency.merge(other.latency);
  slowdown.merge(other.slowdown);
  small_slowdown.merge(other.small_slowdown);
}

RdmaWindow::RdmaWindow(const std::vector<Rdma>& entries, int mtu)
    : entries_{entries}, mtu_{mtu}, window_(entries.size()), arrived_(entries.size()), latencies_(entries.size()) {}

void RdmaWindow::add(const std::vector<Tally>& since) {
  for (std::size_t i = 0; i < since.size(); ++i) {
    window_[i].merge(since[i]);
    arrived_[i] += since[i].bytes;
    latencies_[i] = since[i].latency;
  }
}

platform::Steadiness::Pooled RdmaWindow::latencies() const {
  platform::Steadiness::Pooled pooled;
  for (const auto& tally : window_) pooled.push_back(&tally.latency);
  return pooled;
}

std::vector<platform::WatchedEntry> RdmaWindow::watched() const {
  std::vector<platform::WatchedEntry> watched;
  for (const auto& entry : entries_) {
    const bool late = entry.load > 0 || entry.interval > Duration{};
    auto& of_entry = watched.emplace_back(watched_entry(entry.name, late, true));
    of_entry.message = mean_size(entry.sizes, entry.size).count();
    // Several messages on their way come as one stream; a single one leaves gaps.
    const bool alone = !late && spelt_out(entry.from).size() == 1 && entry.qps * entry.outstanding == 1;
    of_entry.piece = alone ? of_entry.message : std::min<std::int64_t>(of_entry.message, mtu_);
    if (entry.load == 0) of_entry.period = entry.interval;
  }
  return watched;
}

std::vector<platform::Reading::Entry> RdmaWindow::read(const std::vector<std::int64_t>& posted, Parts* parts) const {
  auto arrived = arrived_, offered = posted;
  auto latencies = latencies_;
  if (parts != nullptr) {
    parts->share(arrived);
    parts->share(offered);
    parts->share(latencies);
  }
  const auto names = watched();
  std::vector<platform::Reading::Entry> read;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    // Where a message is posted when another one ends, as many wait at any time.
    platform::Reading::Entry entry{.offered = arrived[i], .arrived = arrived[i], .waiting = entries_[i].size.count()};
    if (names[i].waits_at_source) {
      entry.offered = offered[i];
      entry.waiting = offered[i] - arrived[i];
    }
    entry.sample(latencies[i], names[i].latencies);
    read.push_back(std::move(entry));
  }
  return read;
}

void record_slowdown(Tally& tally, const EntryUse& use, Duration latency) {
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
    metric(".goodput_gbps", gbps(WideInt{tally.bytes} * 8, window));
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

}  // namespace peerpath::network_run
