// Where the measured window of a run begins and ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/steadiness.hpp"

namespace peerpath::platform {

/// Given and longest times of a run.
struct WindowPlan {
  bool found = false;                                ///< warm-up, measured window or both are to be found
  bool judged = false;                               ///< the run may come to a steady state
  std::optional<Duration> warmup{}, measure{};       ///< given; not found: both are
  Duration longest{};                                ///< until the end of the window
  Duration period{};                                 ///< after which regular loads repeat themselves; 0: never
  Duration coarsest{};                               ///< the longest time between two transfers of one of them
  Duration patience = std::chrono::milliseconds{1};  ///< entries without an arrival by then will have none
  std::int64_t precision_ppm = 10'000;

  /// `periods`: of each entry; 0 for one that is not regular.
  void set_periods(const std::vector<Duration>& periods);
};

/// The one search for steady state, of PCIe and of networks. It cuts a run into slices of equal length, 32 to the
/// measured window. The run stops at each edge and passes a reading.
///
/// Warm-up and window that are both given stand. Where neither is given, the window is the second half of the run: at
/// twice, four times, eight times ... the first length the run ends if that half is steady, and goes on to twice its
/// length if not. Where the warm-up alone is given the window begins there and doubles; where the window alone is given
/// it begins when a half has no trend. Slices are whole periods of regular loads where these are short enough.
///
/// Steady (Steadiness): the 95 % interval of each entry's goodput and median latency is within `precision`, no
/// beginning reaches into the window, and no backlog grows or shrinks. The backlog at the source of an overloaded entry
/// may grow, as it has no bound, once the entry has its full number of transfers in flight.
class WindowSearch {
 public:
  WindowSearch(const WindowPlan& plan, std::vector<WatchedEntry> entries, std::vector<WatchedBacklog> backlogs);

  enum class Step : std::uint8_t { go_on, begin, end };

  /// Everything until this time has to happen before `at_edge`.
  Instant next_edge() const { return edge_; }
  Step at_edge(const Reading& reading);
  bool found() const { return plan_.found; }

  /// How well each metric is known, and what has not settled; after the last edge. `pooled`: all latencies of the
  /// window.
  observe::SteadyState verdict(const Steadiness::Pooled& pooled) const;

 private:
  enum class Kind : std::uint8_t { given, open, open_end, open_begin };
  static constexpr std::size_t slices = Steadiness::slices;

  Step look(const Reading& reading);
  Step cut_window(const Reading& reading);
  Step begin_half();
  Step go_on();
  bool is_last() const;

  WindowPlan plan_;
  Kind kind_ = Kind::given;
  Instant edge_{}, begin_{}, since_{};  ///< `since_`: where the slices begin
  Duration slice_{};
  bool begun_ = false;  ///< the window, as it is so far
  bool sampling_ = false;
  Steadiness test_;
};

}  // namespace peerpath::platform
