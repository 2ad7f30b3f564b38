#include "platform/window_search.hpp"

#include <algorithm>
#include <numeric>

#include "observe/batch_means.hpp"
#include "peerpath/net/ethernet.hpp"
#include "peerpath/scenario/window.hpp"

namespace peerpath::platform {
namespace {

using observe::Decimal;
using observe::quotient;
using scenario::Traffic;
using Values = std::vector<std::int64_t>;

constexpr std::int64_t fine = 1000;  // parts of a byte in the series of bytes
constexpr std::int64_t million = 1'000'000;
constexpr int rate_places = 6, ns_places = 6;
constexpr Duration first_length = std::chrono::microseconds{120};  // at most; half of it at least
constexpr Instant hopeless{std::chrono::milliseconds{1}};          // what has not begun to arrive by then never will

/// How long regular traffic takes to repeat itself; 0 for traffic that does not.
Duration period_of(const Traffic& t) {
  if (t.arrival != scenario::ArrivalLaw::regular) return Duration{0};
  constexpr Bytes headers{66};  // Ethernet, IPv4, TCP with timestamps
  Bytes round{};
  for (const Bytes size : t.sizes) round += t.is<scenario::traffic::Receive>() ? net::wire_size(headers + size) : size;
  return t.is<scenario::traffic::Transmit>() ? Duration{0} : round / t.rate;
}

/// Whole periods of all traffic together, if that is possible within `slice`.
Duration whole_periods(const scenario::Scenario& scenario, Duration slice) {
  std::int64_t common = 1;
  for (const auto& t : scenario.traffic) {
    const auto period = period_of(t).count();
    if (period <= 0) return slice;
    const auto times = period / std::gcd(common, period);
    if (times > slice.count() / common) return slice;
    common *= times;
  }
  return slice / common * common;
}

/// "from 12.3 to 15.1 us": in a unit that fits both.
std::string from_to(const std::string& metric, std::int64_t first, std::int64_t second, Duration slice) {
  if (metric.ends_with("_ns"))
    return "from " + to_string(quotient(first, 1'000'000'000, 3)) + " us to " +
           to_string(quotient(second, 1'000'000'000, 3)) + " us";
  const auto rate = [&](std::int64_t bytes) {
    return to_string(quotient(static_cast<WideInt>(bytes) * 8'000'000, static_cast<WideInt>(slice.count()) * fine, 3));
  };
  return "from " + rate(first) + " Gb/s to " + rate(second) + " Gb/s";
}

std::string percent_text(WideInt part, WideInt whole) { return to_string(quotient(part * 100, whole, 1)) + " %"; }

}  // namespace

WindowSearch::WindowSearch(const scenario::Scenario& scenario)
    : scenario_{scenario},
      precision_ppm_{static_cast<std::int64_t>(scenario.run.precision * 10'000 + 0.5)},
      measure_{scenario::fixed_measure(scenario)},
      longest_{scenario::longest_run(scenario)},
      records_(std::max<std::size_t>(scenario.traffic.size(), 1)) {
  const auto& run = scenario.run;
  if (!scenario::finds_window(scenario)) {
    edge_ = Instant{scenario::fixed_warmup(scenario)};
    return;
  }
  kind_ = run.warmup ? Kind::open_end : run.measure ? Kind::open_begin : Kind::open;
  Duration length = longest_ - run.warmup.value_or(Duration{0}) - (run.measure ? measure_ : Duration{0});
  while (length > first_length) length /= 2;
  slice_ = whole_periods(scenario, length / std::int64_t{2 * slices});
  sampling_ = kind_ != Kind::open_end;
  edge_ = sampling_ ? Instant{slice_} : Instant{*run.warmup};
}

void WindowSearch::start_window() {
  begin_ = since_ = edge_;
  before_ = now_;
  begun_ = sampling_ = true;
  for (auto& record : records_) record = {};
  cut_ = 0;
}

WindowSearch::Step WindowSearch::at_edge(Meter& meter, const fabric::Fabric& fabric) {
  const auto previous = std::exchange(now_, meter.totals(fabric, edge_));
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const auto latencies = meter.take_latencies(i);
    if (!sampling_) continue;
    auto& record = records_[i];
    const auto since = previous.empty() ? Meter::Totals{} : previous[i];
    record.offered.push_back((now_[i].offered - since.offered).count() * fine);
    record.arrived.push_back((now_[i].arrived - since.arrived).count() * fine);
    record.samples.push_back(latencies.count());
    for (std::size_t q = 0; q < quantiles.size(); ++q)
      record.latency[q].push_back(latencies.quantile(quantiles[q]).count());
  }
  if (sampling_) ++cut_;
  return look();
}

WindowSearch::Step WindowSearch::look() {
  if (kind_ == Kind::given) {
    if (begun_ && cut_ == slices) return Step::end;
    const bool first = !begun_;
    if (first) start_window();
    const auto done = static_cast<std::int64_t>(cut_);
    // Edges are where whole 32nds of the window are, to the femtosecond.
    edge_ = begin_ + Duration{narrow(static_cast<WideInt>(measure_.count()) * (done + 1) / std::int64_t{slices})};
    slice_ = measure_ / std::int64_t{slices};
    return first ? Step::begin : Step::go_on;
  }
  if (!sampling_) {
    start_window();
    edge_ += slice_;
    return Step::begin;
  }
  if (cut_ == slices && !begun_) {  // the first half of the first length
    begin_ = edge_;
    before_ = now_;
    begun_ = true;
    edge_ += slice_;
    return Step::begin;
  }
  if (cut_ < 2 * slices) {
    edge_ += slice_;
    return Step::go_on;
  }
  const bool last =
      2 * (edge_ - since_) > longest_ - (since_ - Instant{}) - (kind_ == Kind::open_begin ? measure_ : Duration{0});
  const bool good = steady(kind_ != Kind::open_begin);
  if (kind_ == Kind::open_begin && (good || last)) {
    kind_ = Kind::given;
    begun_ = false;
    return look();
  }
  if (good || last) return Step::end;
  merge();
  if (kind_ == Kind::open_end) {
    edge_ += slice_;
    return Step::go_on;
  }
  begin_ = edge_;
  before_ = now_;
  edge_ += slice_;
  return Step::begin;
}

/// Two slices become one.
void WindowSearch::merge() {
  slice_ *= 2;
  cut_ /= 2;
  for (auto& record : records_) {
    for (std::size_t i = 0; 2 * i + 1 < record.arrived.size(); ++i) {
      const auto a = record.samples[2 * i], b = record.samples[2 * i + 1];
      for (auto& series : record.latency)
        series[i] =
            a + b == 0
                ? 0
                : narrow((static_cast<WideInt>(series[2 * i]) * a + static_cast<WideInt>(series[2 * i + 1]) * b) /
                         (a + b));
      record.samples[i] = a + b;
      record.offered[i] = record.offered[2 * i] + record.offered[2 * i + 1];
      record.arrived[i] = record.arrived[2 * i] + record.arrived[2 * i + 1];
    }
    const auto half = record.arrived.size() / 2;
    for (auto* series : {&record.offered, &record.arrived, &record.samples}) series->resize(half);
    for (auto& series : record.latency) series.resize(half);
  }
}

WindowSearch::Series WindowSearch::bytes(const Values& series) const {
  Series result{series, {}, false};
  if (kind_ == Kind::open_end) {  // all of it is the window
    for (std::size_t i = 0; i + 1 < series.size(); i += 2) result.window.push_back((series[i] + series[i + 1]) / 2);
    return result;
  }
  result.window = {series.end() - static_cast<std::ptrdiff_t>(std::min(slices, series.size())), series.end()};
  return result;
}

/// Slices in which nothing was measured are joined with their neighbours, down to eighths of the window.
WindowSearch::Series WindowSearch::latencies(const Record& record, std::size_t quantile) const {
  auto values = record.latency[quantile];
  auto weights = record.samples;
  const bool all_is_window = kind_ != Kind::open && kind_ != Kind::open_begin;
  const auto in_window = [&] { return all_is_window ? values.size() : values.size() / 2; };
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
  Series result{values, {values.end() - static_cast<std::ptrdiff_t>(in_window()), values.end()}, has_gap()};
  return result;
}

/// The whole series has a beginning that reaches into its second half.
bool WindowSearch::has_beginning(const Series& series) const {
  return observe::truncation(series.whole) * 2 >= series.whole.size();
}

bool WindowSearch::settled(const Series& series, bool to_precision) const {
  if (series.empty) return false;
  const auto means = observe::batch_means(series.window);
  const auto allowed = [&](std::int64_t width) {
    return static_cast<WideInt>(width) * million <= static_cast<WideInt>(std::abs(means.mean)) * precision_ppm_;
  };
  if (allowed(means.spread)) return true;
  return means.independent && !has_beginning(series) && (!to_precision || allowed(means.half_width));
}

/// Frames that wait become more or fewer, by more than the precision of what is offered.
bool WindowSearch::queue_moves(std::size_t entry) const {
  const auto offered = (now_[entry].offered - before_[entry].offered).count();
  const auto grown = std::abs((now_[entry].waiting() - before_[entry].waiting()).count());
  return static_cast<WideInt>(grown) * million > static_cast<WideInt>(offered) * precision_ppm_;
}

/// More is offered to a source that may hold it back than gets through: its queue has no bound.
bool WindowSearch::overloaded(std::size_t entry) const {
  return !scenario_.traffic[entry].is<scenario::traffic::Receive>() && queue_moves(entry) &&
         now_[entry].waiting() > before_[entry].waiting();
}

bool WindowSearch::steady(bool to_precision) const {
  for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
    const auto& record = records_[i];
    const auto arrived = bytes(record.arrived);
    const bool nothing = std::ranges::all_of(arrived.window, [](auto bytes) { return bytes == 0; });
    if (nothing && now_[i].waiting() > Bytes{0} && edge_ < hopeless) return false;
    if (!settled(arrived, to_precision)) return false;
    if (scenario_.traffic[i].is<scenario::traffic::Receive>() && queue_moves(i)) return false;
    if (now_[i].arrived == before_[i].arrived) continue;
    if (!settled(latencies(record, 0), to_precision) && !overloaded(i)) return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ verdict

void WindowSearch::judge(observe::SteadyState& state, const std::string& metric, const Series& series) const {
  if (series.empty) {
    state.warnings.push_back(metric + " is not known: too few were measured in some parts of the window");
    return;
  }
  if (settled(series, true)) return;
  const auto means = observe::batch_means(series.window);
  if (!means.independent || has_beginning(series))
    state.warnings.push_back(
        metric + " has not settled: " + from_to(metric, means.first_half, means.second_half, slice_) + ", " +
        percent_text(means.second_half - means.first_half, std::max<std::int64_t>(means.first_half, 1)) +
        ", from one half of the window to the other");
  else
    state.warnings.push_back(metric + " is known to +-" +
                             percent_text(means.half_width, std::max<std::int64_t>(means.mean, 1)) +
                             " only: a longer run knows it better");
}

void WindowSearch::judge(observe::SteadyState& state, std::size_t entry) const {
  const auto& record = records_[entry];
  const auto& name = scenario_.traffic[entry].name;
  const auto rate = [&](const std::string& metric, const Series& series) {
    const auto means = observe::batch_means(series.window);
    state.intervals.push_back({name + metric, quotient(static_cast<WideInt>(means.half_width) * 8'000'000,
                                                       static_cast<WideInt>(slice_.count()) * fine, rate_places)});
  };
  rate(".offered_gbps", bytes(record.offered));
  rate(".goodput_gbps", bytes(record.arrived));
  judge(state, name + ".goodput_gbps", bytes(record.arrived));
  if (queue_moves(entry)) {
    const auto grown = now_[entry].waiting() - before_[entry].waiting();
    const bool more = grown > Bytes{0};
    const auto speed =
        to_string(quotient(static_cast<WideInt>(std::abs(grown.count())) * 8'000'000, (edge_ - begin_).count(), 3));
    if (overloaded(entry)) {
      if (!scenario_.traffic[entry].saturates)
        state.warnings.push_back(
            name + " is offered " + speed +
            " Gb/s more than gets through: its queue has no bound, and latency that counts the wait "
            "in it no steady value");
    } else if (scenario_.traffic[entry].is<scenario::traffic::Receive>())
      state.warnings.push_back(name + " has not settled: what waits in queues " + (more ? "grows" : "shrinks") +
                               " by " + speed + " Gb/s");
  }
  if (now_[entry].arrived == before_[entry].arrived || overloaded(entry)) return;
  constexpr std::array names{".latency_p50_ns", ".latency_p90_ns", ".latency_p99_ns", ".latency_p999_ns"};
  for (std::size_t q = 0; q < quantiles.size(); ++q) {
    const auto series = latencies(record, q);
    if (series.empty) continue;
    const auto means = observe::batch_means(series.window);
    state.intervals.push_back({name + names[q], {means.half_width, ns_places}});
  }
  judge(state, name + names[0], latencies(record, 0));
}

observe::SteadyState WindowSearch::verdict() const {
  observe::SteadyState state;
  state.found = scenario::finds_window(scenario_);
  state.judged = scenario::can_be_steady(scenario_) && begun_ && cut_ >= slices;
  for (std::size_t i = 0; state.judged && i < scenario_.traffic.size(); ++i) judge(state, i);
  return state;
}

}  // namespace peerpath::platform
