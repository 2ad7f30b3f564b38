// Tests whether the measured window of a run is steady: goodput, latency and backlogs.
//
// Sources of the tests, which use integers only (observe/batch_means.hpp):
//   goodput, latency  batch means with von Neumann's ratio (Fishman 1978; Law, "Simulation Modeling and Analysis",
//                     9.5.3), and MSER-5 (White 1997) over the whole run: no transient reaches into the window
//   rates             of connections that congestion control evens out: Gelman and Rubin's scale reduction (1992),
//                     while the window is shorter than that takes and the median latency is not the mean, which no
//                     share changes (Little's law)
//   backlogs          slope of eight batch means by least squares against its standard error (Law, 9.5.1)
//   resolution        a count of messages over a window is known to one message, whose place at the ends of the window
//                     decides whether it counts; equal counts in all batches do not show that
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/batch_means.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/observe/histogram.hpp"
#include "peerpath/observe/results.hpp"

namespace peerpath::platform {

/// A traffic entry whose goodput and latency are watched.
struct WatchedEntry {
  /// A quantile of its latency, and the metric that has it.
  struct Latency {
    std::int64_t parts_per_million = 0;
    std::string metric{};
  };
  std::string name{};
  BitRate rate{};  ///< payload offered at regular intervals; 0: as it is counted
  /// Excess load waits at the source, without bound. Otherwise it waits in finite buffers.
  bool waits_at_source = false;
  std::vector<Latency> latencies{};  ///< the first one is to be steady, too
  Duration latency_unit = std::chrono::nanoseconds{1};
  bool saturates = false;  ///< the load is meant to exceed capacity: no warning that it does
  /// Payload bytes of the largest message (of random sizes: their mean), and those of it that count as arrived at
  /// one instant, or that a pause of the entry takes; 0: a stream.
  std::int64_t message = 0, piece = 0;
  Duration period{};  ///< after which its regular load repeats itself; 0: never
};

/// Unit of a backlog.
enum class BacklogUnit : std::uint8_t { bytes, bits_per_second };

/// A finite store that fills and drains: a buffer, a queue, a congestion window.
struct WatchedBacklog {
  std::string name{};  ///< a plural, as in "queues in sw0 grow"
  BacklogUnit unit = BacklogUnit::bytes;
  std::int64_t grain = 0;              ///< smaller growth is ignored: the size of a few packets
  std::optional<std::size_t> entry{};  ///< that fills it: growth below the precision of what it offers is ignored, too
};

/// All counts of a run at one instant, since the start.
struct Reading {
  struct Entry {
    std::int64_t offered = 0, arrived = 0, failed = 0;  ///< payload bytes
    std::int64_t waiting = 0;                           ///< of those offered: bytes that have not come to their end
    std::int64_t largest = 0;  ///< bytes that arrived at one instant since the reading before; 0: unknown
    std::int64_t in_flight = 0,
                 most_in_flight{};  ///< transfers that have left the source, and room for them; 0: unknown
    /// Payload bytes that arrived on each connection. A connection without progress waits for a timer.
    std::vector<std::int64_t> connections{};
    /// Rates in bit/s that congestion control allows each connection, and the time in which it evens them out.
    std::vector<std::int64_t> rates{};
    Duration evening{};
    std::int64_t samples = 0;               ///< latencies since the reading before
    std::vector<std::int64_t> latencies{};  ///< quantiles, as WatchedEntry::latencies has them; their mean

    /// Takes the quantiles out of a histogram.
    void sample(const observe::Histogram& histogram, const std::vector<WatchedEntry::Latency>& wanted);
  };
  Instant when{};
  std::vector<Entry> entries{};
  std::vector<std::int64_t> levels{};  ///< by backlog
};

/// Keeps the reading at the end of each slice, and judges the window: the last 32 slices, or all of them in pairs.
class Steadiness {
 public:
  static constexpr std::size_t slices = 32;
  using Pooled = std::vector<const observe::Histogram*>;

  Steadiness(std::vector<WatchedEntry> entries, std::vector<WatchedBacklog> backlogs, std::int64_t precision_ppm);

  /// Forgets all, and begins with this reading.
  void begin(const Reading& reading);
  /// A slice ends.
  void add(const Reading& reading);
  /// Two slices become one.
  void merge();
  std::size_t cut() const { return readings_.empty() ? 0 : readings_.size() - 1; }
  /// The window is all slices, not the second half of them.
  void take_all_as_window() { all_is_window_ = true; }

  /// `hopeless`: entries without any arrival by now will not have one later.
  bool steady(bool to_precision, bool hopeless) const;
  /// Adds intervals, and a warning for each series that is not steady. `found`: run.at_most bounds the window, not
  /// run.measure. `pooled`: all latencies of the window by entry; results report their quantiles.
  void judge(observe::SteadyState& state, bool found, const Pooled& pooled) const;

 private:
  using Values = std::vector<std::int64_t>;
  /// Series of one metric over all slices, and over those of the window.
  struct Series {
    Values whole{}, window{};
    bool empty = false;           ///< nothing was measured in an eighth of the window
    std::int64_t resolution = 0;  ///< the mean of the window is not known better
    std::int64_t half_width(const observe::BatchMeans& means) const { return std::max(means.half_width, resolution); }
  };
  const Reading& first() const;
  const Reading& last() const { return readings_.back(); }
  Duration length() const { return last().when - first().when; }
  Duration slice() const;
  /// By slice of the window.
  template <class Value>
  Series per_slice(const Value& value) const;
  /// Of bytes in the window, in the unit of a series.
  std::int64_t share_of_slice(std::int64_t bytes) const;
  Series arrivals(std::size_t entry) const;
  Series offers(std::size_t entry) const;
  /// Bytes by which a count over the window may be wrong, of messages that count `at_once` bytes at one instant.
  std::int64_t resolution(std::size_t entry, std::int64_t at_once) const;
  Series latencies(std::size_t entry, std::size_t quantile) const;
  Values in_window(Values values) const;
  /// Growth over the window; 0 where the slope is not significant.
  template <class Level>
  std::int64_t growth(const Level& level) const;
  std::int64_t entry_growth(std::size_t entry) const;
  std::int64_t backlog_growth(std::size_t backlog) const;
  bool overloaded(std::size_t entry) const;
  bool fills(std::size_t entry) const;
  std::int64_t stalled(std::size_t entry) const;
  /// The least number of transfers in flight in the window, and room for them.
  const Reading::Entry& emptiest(std::size_t entry) const;
  bool median_depends_on_shares(std::size_t entry) const;
  /// The least and the largest mean rate of connections that congestion control has not evened out yet.
  std::optional<std::pair<std::int64_t, std::int64_t>> uneven(std::size_t entry) const;

  bool has_beginning(const Series& series) const;
  bool settled(const Series& series, bool to_precision) const;
  bool settled(std::size_t entry, bool to_precision, bool hopeless) const;
  void judge(observe::SteadyState& state, std::size_t entry, const std::string& more, const Pooled& pooled) const;
  void judge(observe::SteadyState& state, const std::string& metric, const Series& series,
             const std::string& more) const;

  std::vector<WatchedEntry> entries_;
  std::vector<WatchedBacklog> backlogs_;
  std::int64_t precision_ppm_;
  std::vector<Reading> readings_;
  bool all_is_window_ = false;
};

}  // namespace peerpath::platform
