#include "platform/steadiness.hpp"

#include <algorithm>
#include <limits>

namespace peerpath::platform {
namespace {

using observe::quotient;

constexpr std::int64_t fine_parts = 1000;  // parts of a byte in the series of bytes
constexpr std::int64_t one_million = 1'000'000;
constexpr int steady_places = 6;

/// Payload that a rate makes in a time.
std::int64_t payload_of(BitRate rate, Duration time) {
  return narrow(static_cast<WideInt>(rate.bps()) * time.count() / 8'000'000'000'000'000);
}

std::string steady_rate(WideInt bytes, Duration time, int places = 3) {
  return to_string(quotient(bytes * 8'000'000, time.count(), places)) + " Gb/s";
}

std::string rate_text(std::int64_t bps) { return to_string(quotient(bps, 1'000'000'000, 3)) + " Gb/s"; }

std::string share_text(WideInt part, WideInt whole) { return to_string(quotient(part * 100, whole, 1)) + " %"; }

/// "12.3 Gb/s", "15.1 us"
std::string value_text(const std::string& metric, std::int64_t value, Duration slice) {
  if (metric.ends_with("_gbps")) return steady_rate(value, slice * fine_parts);
  return to_string(quotient(value, 1'000'000'000, 3)) + " us";
}

}  // namespace

void Reading::Entry::sample(const observe::Histogram& histogram, const std::vector<WatchedEntry::Latency>& wanted) {
  samples = histogram.count();
  for (const auto& latency : wanted) latencies.push_back(histogram.quantile(latency.parts_per_million).count());
  latencies.push_back(histogram.mean().count());
}

Steadiness::Steadiness(std::vector<WatchedEntry> entries, std::vector<WatchedBacklog> backlogs,
                       std::int64_t precision_ppm)
    : entries_{std::move(entries)}, backlogs_{std::move(backlogs)}, precision_ppm_{precision_ppm} {}

void Steadiness::begin(const Reading& reading) { readings_.assign(1, reading); }

void Steadiness::add(const Reading& reading) { readings_.push_back(reading); }

void Steadiness::merge() {
  const auto slices_left = cut() / 2;
  for (std::size_t n = 1; n <= slices_left; ++n) {
    auto both = readings_[2 * n];
    for (std::size_t i = 0; i < both.entries.size(); ++i) {
      auto& entry = both.entries[i];
      const auto& earlier = readings_[2 * n - 1].entries[i];
      const WideInt a = earlier.samples, b = entry.samples;
      for (std::size_t q = 0; q < entry.latencies.size(); ++q)
        entry.latencies[q] = a + b == 0 ? 0 : narrow((earlier.latencies[q] * a + entry.latencies[q] * b) / (a + b));
      entry.samples = narrow(a + b);
      entry.largest = std::max(entry.largest, earlier.largest);
    }
    readings_[n] = std::move(both);
  }
  readings_.resize(slices_left + 1);
}

const Reading& Steadiness::first() const {
  return all_is_window_ ? readings_.front() : readings_[readings_.size() - 1 - std::min(slices, cut())];
}

Duration Steadiness::slice() const {
  return length() / static_cast<std::int64_t>(all_is_window_ ? cut() : std::min(slices, cut()));
}

// ------------------------------------------------------------------------------------------------ series

/// The last slices, or the means of pairs of all slices.
Steadiness::Values Steadiness::in_window(Values values) const {
  if (!all_is_window_)
    return {values.end() - static_cast<std::ptrdiff_t>(std::min(slices, values.size())), values.end()};
  while (values.size() > slices) {
    for (std::size_t i = 0; 2 * i + 1 < values.size(); ++i) values[i] = (values[2 * i] + values[2 * i + 1]) / 2;
    values.resize(values.size() / 2);
  }
  return values;
}

template <class Value>
Steadiness::Series Steadiness::per_slice(const Value& value) const {
  Series series;
  for (std::size_t n = 1; n < readings_.size(); ++n)
    series.whole.push_back((value(readings_[n]) - value(readings_[n - 1])) * fine_parts);
  series.window = in_window(series.whole);
  return series;
}

Steadiness::Series Steadiness::arrivals(std::size_t entry) const {
  auto series = per_slice([entry](const Reading& r) { return r.entries[entry].arrived; });
  auto at_once = entries_[entry].piece;
  for (const auto* r = &first() + 1; r <= &last(); ++r) at_once = std::max(at_once, r->entries[entry].largest);
  series.resolution = share_of_slice(resolution(entry, at_once));
  return series;
}

Steadiness::Series Steadiness::offers(std::size_t entry) const {
  auto series = per_slice([entry](const Reading& r) { return r.entries[entry].offered; });
  series.resolution = share_of_slice(resolution(entry, entries_[entry].message));
  return series;
}

std::int64_t Steadiness::share_of_slice(std::int64_t bytes) const {
  const auto count = static_cast<std::int64_t>(all_is_window_ ? cut() : std::min(slices, cut()));
  return (bytes * fine_parts + count - 1) / count;
}

/// A window of whole periods holds the same wherever it begins. While nothing waits, nothing arrives: then a message
/// counts at once, however small its pieces are.
std::int64_t Steadiness::resolution(std::size_t entry, std::int64_t at_once) const {
  const auto& watched = entries_[entry];
  const auto &before = first().entries[entry], &after = last().entries[entry];
  const bool whole_periods = watched.period > Duration{0} && length() % watched.period == Duration{0};
  const auto arrived = after.arrived - before.arrived;
  if (arrived == 0 || (whole_periods && arrived == after.offered - before.offered)) return 0;
  const bool pauses =
      std::any_of(&first(), &last() + 1, [entry](const Reading& r) { return r.entries[entry].waiting == 0; });
  return pauses ? std::max(watched.message, at_once) : at_once;
}

/// Slices in which nothing was measured are joined with their neighbours, down to eighths of the window.
Steadiness::Series Steadiness::latencies(std::size_t entry, std::size_t quantile) const {
  Values values, weights;
  for (std::size_t n = 1; n < readings_.size(); ++n) {
    values.push_back(readings_[n].entries[entry].latencies[quantile]);
    weights.push_back(readings_[n].entries[entry].samples);
  }
  const auto in_window = [&] { return all_is_window_ ? values.size() : values.size() / 2; };
  const auto has_gap = [&] {
    return std::any_of(weights.end() - static_cast<std::ptrdiff_t>(in_window()), weights.end(),
                       [](auto count) { return count == 0; });
  };
  while (in_window() > slices || (has_gap() && in_window() > observe::least_batches)) {
    for (std::size_t i = 0; 2 * i + 1 < values.size(); ++i) {
      const WideInt a = weights[2 * i], b = weights[2 * i + 1];
      weights[i] = narrow(a + b);
      values[i] = a + b == 0 ? 0 : narrow((values[2 * i] * a + values[2 * i + 1] * b) / (a + b));
    }
    values.resize(values.size() / 2);
    weights.resize(weights.size() / 2);
  }
  return {values, {values.end() - static_cast<std::ptrdiff_t>(in_window()), values.end()}, has_gap()};
}

// ------------------------------------------------------------------------------------------------ goodput and latency

/// The initial transient reaches into the second half of the series.
bool Steadiness::has_beginning(const Series& series) const {
  return observe::truncation(series.whole) * 2 >= series.whole.size();
}

bool Steadiness::settled(const Series& series, bool to_precision) const {
  if (series.empty) return false;
  const auto means = observe::batch_means(series.window);
  const auto allowed = [&](std::int64_t width) {
    return static_cast<WideInt>(width) * one_million <= static_cast<WideInt>(std::abs(means.mean)) * precision_ppm_;
  };
  if (to_precision && !allowed(series.resolution)) return false;
  if (allowed(means.spread)) return true;
  return means.independent && !has_beginning(series) && (!to_precision || allowed(means.half_width));
}

// ------------------------------------------------------------------------------------------------ backlogs

template <class Level>
std::int64_t Steadiness::growth(const Level& level) const {
  Values levels;
  for (std::size_t n = 1; n < readings_.size(); ++n) levels.push_back(level(readings_[n]));
  return observe::growth(in_window(std::move(levels)));
}

/// Growth of the payload that was offered and has neither arrived nor failed. A regular load is taken as an even
/// stream, because whole transfers would add steps.
std::int64_t Steadiness::entry_growth(std::size_t entry) const {
  const auto& watched = entries_[entry];
  const auto grown = growth([&](const Reading& r) {
    const auto& counts = r.entries[entry];
    if (watched.rate == BitRate{}) return counts.waiting;
    return payload_of(watched.rate, r.when - readings_.front().when) - counts.arrived - counts.failed;
  });
  const auto offered = watched.rate == BitRate{} ? last().entries[entry].offered - first().entries[entry].offered
                                                 : payload_of(watched.rate, length());
  // A buffer that fills within the window shows at its ends, not as a slope.
  const auto change = last().entries[entry].waiting - first().entries[entry].waiting;
  if (!watched.waits_at_source &&
      static_cast<WideInt>(std::abs(change)) * one_million > static_cast<WideInt>(offered) * precision_ppm_)
    return change;
  // Growth below a tenth of the allowed error of goodput is ignored.
  return static_cast<WideInt>(std::abs(grown)) * one_million * 10 > static_cast<WideInt>(offered) * precision_ppm_
             ? grown
             : 0;
}

/// Growth below a tenth of the mean level, or below the grain, is ignored.
std::int64_t Steadiness::backlog_growth(std::size_t backlog) const {
  WideInt sum = 0;
  const auto grown = growth([&](const Reading& r) { return r.levels[backlog]; });
  for (const auto& reading : readings_) sum += reading.levels[backlog];
  const auto mean = sum / static_cast<WideInt>(readings_.size());
  const auto& [name, unit, grain, entry] = backlogs_[backlog];
  const auto offered = entry ? last().entries[*entry].offered - first().entries[*entry].offered : 0;
  if (WideInt{std::abs(grown)} * one_million <= WideInt{offered} * precision_ppm_) return 0;
  return std::abs(grown) > grain && WideInt{std::abs(grown)} * 10 > mean ? grown : 0;
}

bool Steadiness::overloaded(std::size_t entry) const {
  return entries_[entry].waits_at_source && entry_growth(entry) > 0;
}

const Reading::Entry& Steadiness::emptiest(std::size_t entry) const {
  const auto from = &first() - readings_.data();
  return std::min_element(readings_.begin() + from, readings_.end(),
                          [entry](const Reading& a, const Reading& b) {
                            return a.entries[entry].in_flight < b.entries[entry].in_flight;
                          })
      ->entries[entry];
}

/// The entry is overloaded, but fewer transfers than possible are in flight: their number still grows.
bool Steadiness::fills(std::size_t entry) const {
  const auto& least = emptiest(entry);
  return overloaded(entry) && least.in_flight < least.most_in_flight;
}

/// Shares of a link that drift more slowly than the window shows leave goodput as it is, and the mean latency of
/// messages whose number in flight is constant (Little's law). The median moves to that mean as they even out.
bool Steadiness::median_depends_on_shares(std::size_t entry) const {
  const auto mean_of = [&](std::size_t which) { return observe::batch_means(latencies(entry, which).window).mean; };
  const WideInt median = mean_of(0), mean = mean_of(entries_[entry].latencies.size());
  return (median < mean ? mean - median : median - mean) * one_million > mean * precision_ppm_;
}

/// Rates that differ by less than the precision are even.
std::optional<std::pair<std::int64_t, std::int64_t>> Steadiness::uneven(std::size_t entry) const {
  const auto& now = last().entries[entry];
  if (now.rates.size() < 2 || length() >= now.evening) return {};
  std::vector<Values> rates(now.rates.size());
  for (auto n = static_cast<std::size_t>(&first() - readings_.data()) + 1; n < readings_.size(); ++n) {
    const auto& read = readings_[n].entries[entry].rates;
    if (read.size() != rates.size()) return {};
    for (std::size_t c = 0; c < read.size(); ++c) rates[c].push_back(read[c]);
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = 0;
  WideInt all = 0;
  for (const auto& values : rates) {
    WideInt sum = 0;
    for (const auto value : values) sum += value;
    const auto mean = narrow(sum / static_cast<WideInt>(values.size()));
    least = std::min(least, mean);
    largest = std::max(largest, mean);
    all += mean;
  }
  if (static_cast<WideInt>(largest - least) * one_million * static_cast<WideInt>(rates.size()) <= all * precision_ppm_)
    return {};
  if (observe::mixed(rates) || !median_depends_on_shares(entry)) return {};
  return std::pair{least, largest};
}

/// Number of connections that received data before the window and none in it.
std::int64_t Steadiness::stalled(std::size_t entry) const {
  const auto &before = first().entries[entry], &now = last().entries[entry];
  const auto stands = [](std::int64_t a, std::int64_t b) { return a > 0 && a == b ? 1 : 0; };
  if (now.waiting == 0) return 0;
  if (now.connections.empty()) return stands(before.arrived, now.arrived);
  std::int64_t count = 0;
  for (std::size_t c = 0; c < now.connections.size(); ++c) count += stands(before.connections[c], now.connections[c]);
  return count;
}

bool Steadiness::settled(std::size_t entry, bool to_precision, bool hopeless) const {
  const auto goodput = arrivals(entry);
  const bool nothing = std::ranges::all_of(goodput.window, [](auto bytes) { return bytes == 0; });
  if (nothing && last().entries[entry].waiting > 0 && !hopeless) return false;
  if (stalled(entry) > 0) return false;
  if (!settled(goodput, to_precision) || fills(entry)) return false;
  if (entry_growth(entry) != 0 && !overloaded(entry)) return false;
  return nothing || overloaded(entry) || entries_[entry].latencies.empty() ||
         (settled(latencies(entry, 0), to_precision) && !uneven(entry));
}

bool Steadiness::steady(bool to_precision, bool hopeless) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!settled(i, to_precision, hopeless)) return false;
  for (std::size_t b = 0; b < backlogs_.size(); ++b)
    if (backlog_growth(b) != 0) return false;
  return true;
}

// ------------------------------------------------------------------------------------------------ verdict

void Steadiness::judge(observe::SteadyState& state, const std::string& metric, const Series& series,
                       const std::string& more) const {
  if (series.empty) {
    state.warnings.push_back(metric + " is unknown: parts of the window have no sample; " + more);
    return;
  }
  if (settled(series, true)) return;
  const auto means = observe::batch_means(series.window);
  const auto each = slice();
  if (!settled(series, false))
    state.warnings.push_back(metric + " has not settled: " + value_text(metric, means.first_half, each) +
                             " in the first half of the window, " + value_text(metric, means.second_half, each) +
                             " in the second; " + more);
  else
    state.warnings.push_back(metric + ": 95 % interval is ±" +
                             share_text(series.half_width(means), std::max<std::int64_t>(means.mean, 1)) + "; " + more);
}

void Steadiness::judge(observe::SteadyState& state, std::size_t entry, const std::string& more,
                       const Pooled& pooled) const {
  const auto& watched = entries_[entry];
  const auto& name = watched.name;
  const auto each = slice();
  const auto interval = [&](const char* metric, const Series& series) {
    const auto means = observe::batch_means(series.window);
    state.intervals.push_back(
        {name + metric, quotient(static_cast<WideInt>(series.half_width(means)) * 8'000'000,
                                 static_cast<WideInt>(each.count()) * fine_parts, steady_places)});
  };
  interval(".offered_gbps", offers(entry));
  const auto goodput = arrivals(entry);
  interval(".goodput_gbps", goodput);
  judge(state, name + ".goodput_gbps", goodput, more);
  const auto grown = entry_growth(entry);
  const auto speed = steady_rate(std::abs(grown), length());
  const auto& now = last().entries[entry];
  if (const auto count = stalled(entry); count > 0)
    state.warnings.push_back(
        name + " has not settled: " + (now.connections.empty() ? "it" : std::to_string(count)) +
        (now.connections.empty() ? "" : " of " + std::to_string(now.connections.size()) + " connections") +
        " brought nothing in the window; " + more);
  if (fills(entry)) {
    state.warnings.push_back(name + " has not settled: offered load exceeds goodput by " + speed + ", and only " +
                             std::to_string(emptiest(entry).in_flight) + " of " + std::to_string(now.most_in_flight) +
                             " transfers are in flight; goodput may change when all are; " + more);
  } else if (overloaded(entry)) {
    if (!watched.saturates && settled(goodput, true))
      state.warnings.push_back(name + ": offered load exceeds capacity by " + speed +
                               "; queueing latency grows without bound");
    else if (!watched.saturates)
      state.warnings.push_back(name + " has not settled: its backlog grows by " + speed + "; " + more);
  } else if (grown != 0) {
    state.warnings.push_back(name + " has not settled: its backlog " + (grown > 0 ? "grows" : "shrinks") + " by " +
                             speed + "; " + more);
  }
  if (overloaded(entry) || now.arrived == first().entries[entry].arrived) return;
  for (std::size_t q = 0; q < watched.latencies.size(); ++q) {
    const auto series = latencies(entry, q);
    if (q == 0) judge(state, name + watched.latencies[q].metric, series, more);
    if (const auto range = q == 0 ? uneven(entry) : std::nullopt)
      state.warnings.push_back(
          name + watched.latencies[q].metric + " has not settled: congestion control allows connections rates from " +
          rate_text(range->first) + " to " + rate_text(range->second) + ", and takes about " +
          to_string(quotient(now.evening.count(), 1'000'000'000'000, 1)) + " ms to even them out; " + more);
    if (series.empty) continue;
    const auto means = observe::batch_means(series.window);
    const auto apart = std::abs(pooled[entry]->quantile(watched.latencies[q].parts_per_million).count() - means.mean);
    state.intervals.push_back({name + watched.latencies[q].metric,
                               quotient(means.half_width + apart, watched.latency_unit.count(), steady_places)});
  }
}

void Steadiness::judge(observe::SteadyState& state, bool found, const Pooled& pooled) const {
  const std::string more = found ? "increase run.at_most" : "increase run.measure";
  for (std::size_t i = 0; i < entries_.size(); ++i) judge(state, i, more, pooled);
  for (std::size_t b = 0; b < backlogs_.size(); ++b) {
    const auto grown = backlog_growth(b);
    if (grown == 0) continue;
    const auto& [name, unit, grain, entry] = backlogs_[b];
    const WideInt per_ms = static_cast<WideInt>(std::abs(grown)) * 1'000'000'000'000 / length().count();
    state.warnings.push_back(
        name + (grown > 0 ? " grow by " : " shrink by ") +
        (unit == BacklogUnit::bytes ? steady_rate(std::abs(grown), length())
                                    : to_string(quotient(per_ms, one_million, 3)) + " Mb/s per ms") +
        ", now at " +
        (unit == BacklogUnit::bytes ? std::to_string(last().levels[b]) + " B"
                                    : to_string(quotient(last().levels[b], 1'000'000'000, 3)) + " Gb/s") +
        "; " + more);
  }
}

}  // namespace peerpath::platform
