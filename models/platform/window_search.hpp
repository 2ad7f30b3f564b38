// Where the measured window of a run begins and ends, and whether what it measures has settled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/scenario.hpp"
#include "platform/meter.hpp"

namespace peerpath::platform {

/// Cuts a run into slices of equal length, 32 to the measured window, and keeps what each came to.
///
/// Warm-up and window that are both given stand. Where neither is given, the window is the second half of the run: at
/// twice, four times, eight times ... the first length the run ends if that half is steady, for a series whose best
/// truncation lies in its first half is long enough (MSER-5, White 1997), and goes on to twice its length if not. Where
/// the warm-up alone is given the window begins there and doubles; where the window alone is given it begins when a
/// half has no trend. Slices are whole periods of regular traffic where that is shorter.
///
/// Steady: of each entry's goodput and median latency the 95 % interval is within `run.precision`, by batches that show
/// no correlation (observe/batch_means.hpp), and no more frames of a receive entry wait at the window's end than at
/// its begin. Latency that counts the wait at a source to which more is offered than fits has no steady value.
class WindowSearch {
 public:
  explicit WindowSearch(const scenario::Scenario& scenario);

  enum class Step : std::uint8_t { go_on, begin, end };

  Instant first_edge() const { return edge_; }
  /// All until `first_edge`, or the edge that `next_edge` gave last, has happened.
  Step at_edge(Meter& meter, const fabric::Fabric& fabric);
  Instant next_edge() const { return edge_; }

  /// Totals when the window began, and at the last edge.
  const std::vector<Meter::Totals>& before() const { return before_; }
  const std::vector<Meter::Totals>& now() const { return now_; }
  /// How well each metric is known, and what has not settled; after the last edge.
  observe::SteadyState verdict() const;

 private:
  enum class Kind : std::uint8_t { given, open, open_end, open_begin };
  static constexpr std::size_t slices = 32;
  static constexpr std::array<std::int64_t, 4> quantiles{500'000, 900'000, 990'000, 999'000};

  /// What one entry came to, slice by slice.
  struct Record {
    std::vector<std::int64_t> offered, arrived;  ///< thousandths of a byte
    std::vector<std::int64_t> samples;           ///< latencies
    std::array<std::vector<std::int64_t>, quantiles.size()> latency;
  };
  void merge();
  Step look();
  void start_window();
  /// One metric's series of the whole run as far as it is kept, and of the window.
  struct Series {
    std::vector<std::int64_t> whole, window;
    bool empty = false;  ///< nothing was measured in an eighth of the window
  };
  Series bytes(const std::vector<std::int64_t>& series) const;
  Series latencies(const Record& record, std::size_t quantile) const;
  bool has_beginning(const Series& series) const;
  bool settled(const Series& series, bool to_precision) const;
  bool queue_moves(std::size_t entry) const;
  bool overloaded(std::size_t entry) const;
  bool steady(bool to_precision) const;
  void judge(observe::SteadyState& state, const std::string& metric, const Series& series) const;
  void judge(observe::SteadyState& state, std::size_t entry) const;

  const scenario::Scenario& scenario_;
  Kind kind_ = Kind::given;
  std::int64_t precision_ppm_ = 10'000;
  Instant edge_{}, begin_{}, since_{};  ///< `since_`: where the slices begin
  Duration slice_{}, measure_{}, longest_{};
  bool begun_ = false;  ///< the window, as it stands
  bool sampling_ = false;
  std::size_t cut_ = 0;          ///< slices kept
  std::vector<Record> records_;  ///< by entry
  std::vector<Meter::Totals> before_, now_;
};

}  // namespace peerpath::platform
