#include "platform/window_search.hpp"

#include <algorithm>
#include <numeric>

namespace peerpath::platform {
namespace {

constexpr Duration first_length = std::chrono::microseconds{120};  // at most; half of it at least

/// Whole periods of all regular loads together, if that is possible within `slice`, or within twice the time between
/// two transfers of the coarsest.
Duration whole_periods(const WindowPlan& plan, Duration slice, Duration length) {
  const auto most = std::min(std::max(slice, 2 * plan.coarsest), length / 4 / std::int64_t{Steadiness::slices});
  if (plan.period <= Duration{0} || plan.period > most) return slice;
  return std::max(slice / plan.period, std::int64_t{1}) * plan.period;
}

}  // namespace

/// A common period beyond a second is none.
void WindowPlan::set_periods(const std::vector<Duration>& periods) {
  constexpr WideInt second = 1'000'000'000'000'000;
  WideInt common = periods.empty() ? 0 : 1;
  for (const auto each : periods) {
    coarsest = std::max(coarsest, each);
    if (common > 0) common = each.count() <= 0 ? 0 : common * (each.count() / std::gcd(narrow(common), each.count()));
    if (common > second) common = 0;
  }
  period = Duration{narrow(common)};
}

WindowSearch::WindowSearch(const WindowPlan& plan, std::vector<WatchedEntry> entries,
                           std::vector<WatchedBacklog> backlogs)
    : plan_{plan}, test_{std::move(entries), std::move(backlogs), plan.precision_ppm} {
  if (!plan.found) {
    test_.take_all_as_window();
    edge_ = Instant{*plan.warmup};
    return;
  }
  kind_ = plan.warmup ? Kind::open_end : plan.measure ? Kind::open_begin : Kind::open;
  const Duration room = plan.longest - plan.warmup.value_or(Duration{0}) - plan.measure.value_or(Duration{0});
  Duration length = room;
  while (length > first_length) length /= 2;
  slice_ = whole_periods(plan, length / std::int64_t{2 * slices}, room);
  if (kind_ == Kind::open_end) {
    test_.take_all_as_window();
    edge_ = Instant{*plan.warmup};
  }
}

WindowSearch::Step WindowSearch::at_edge(const Reading& reading) {
  if (sampling_) test_.add(reading);
  return kind_ == Kind::given ? cut_window(reading) : look(reading);
}

/// A window of given length: its edges are where whole 32nds of it are, to the femtosecond.
WindowSearch::Step WindowSearch::cut_window(const Reading& reading) {
  if (begun_ && test_.cut() == slices) return Step::end;
  const bool first = !begun_;
  if (first) {
    begin_ = edge_;
    begun_ = sampling_ = true;
    test_.begin(reading);
  }
  const auto done = static_cast<WideInt>(test_.cut());
  edge_ = begin_ + Duration{narrow(static_cast<WideInt>(plan_.measure->count()) * (done + 1) / std::int64_t{slices})};
  return first ? Step::begin : Step::go_on;
}

WindowSearch::Step WindowSearch::go_on() {
  edge_ += slice_;
  return Step::go_on;
}

/// The half that begins here may be the window.
WindowSearch::Step WindowSearch::begin_half() {
  begin_ = edge_;
  begun_ = true;
  edge_ += slice_;
  return Step::begin;
}

/// Twice as long would be too long.
bool WindowSearch::is_last() const {
  const auto behind = kind_ == Kind::open_begin ? *plan_.measure : Duration{0};
  return 2 * (edge_ - since_) > plan_.longest - (since_ - Instant{}) - behind;
}

WindowSearch::Step WindowSearch::look(const Reading& reading) {
  if (!sampling_) {
    sampling_ = true;
    since_ = edge_;
    test_.begin(reading);
    return kind_ == Kind::open_end ? begin_half() : go_on();
  }
  if (test_.cut() == slices && !begun_) return begin_half();
  if (test_.cut() < 2 * slices) return go_on();
  const bool good = test_.steady(kind_ != Kind::open_begin, edge_ >= Instant{plan_.patience});
  if (!good && !is_last()) {
    slice_ *= 2;
    test_.merge();
    return kind_ == Kind::open_end ? go_on() : begin_half();
  }
  if (kind_ != Kind::open_begin) return Step::end;
  kind_ = Kind::given;
  begun_ = false;
  test_.take_all_as_window();
  return cut_window(reading);
}

observe::SteadyState WindowSearch::verdict(const Steadiness::Pooled& pooled) const {
  observe::SteadyState state;
  state.found = plan_.found;
  state.judged = plan_.judged && begun_ && test_.cut() >= slices;
  if (state.judged) test_.judge(state, plan_.found && !plan_.measure, pooled);
  return state;
}

}  // namespace peerpath::platform
