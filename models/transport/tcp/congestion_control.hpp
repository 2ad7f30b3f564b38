// Congestion control: how much may be on its way.
#pragma once

#include <cstdint>

#include "transport/tcp/config.hpp"

namespace peerpath::tcp {

/// The congestion window and slow-start threshold in bytes, by Reno, CUBIC or DCTCP. Told of acknowledgements and
/// losses; integers throughout.
class CongestionControl {
 public:
  CongestionControl(const Config& config, std::uint32_t mss);

  std::int64_t window() const { return window_; }
  std::int64_t threshold() const { return threshold_; }
  /// Data of the other end's MSS may be shorter than ours.
  void limit_segment(std::uint32_t mss);

  /// Acknowledged in order, outside recovery, while the window was in use.
  void acknowledged(std::int64_t bytes, Duration round_trip, Instant now);
  /// Every acknowledgement, for the share of marked bytes (DCTCP). `una`, `next`: positions after it.
  void count_marks(std::int64_t bytes, bool marked, std::uint64_t una, std::uint64_t next);
  /// A loss, or for Reno and CUBIC a mark: sets the threshold. The caller moves the window there.
  void lost();
  /// A round trip in which marks came back.
  void marked();
  void timed_out();
  void set_window(std::int64_t bytes);
  /// Share of marked bytes of DCTCP, in 1024ths.
  std::int64_t alpha() const { return alpha_; }

 private:
  void cubic_acknowledged(std::int64_t bytes, Duration round_trip, Instant now);
  std::int64_t cubic_window(std::int64_t microseconds) const;
  void begin_epoch(Instant now);
  void grow_by_one_a_window(std::int64_t bytes);

  Congestion kind_;
  SlowStart slow_start_;
  std::int64_t mss_ = 0, window_ = 0, threshold_ = 0;
  std::int64_t remainder_ = 0;  ///< of growth by less than a byte
  // CUBIC: bytes and microseconds.
  std::int64_t origin_ = 0;    ///< W_max
  std::int64_t estimate_ = 0;  ///< W_est, of Reno
  std::int64_t estimate_remainder_ = 0;
  std::int64_t prior_ = 0;  ///< window before the last reduction
  std::int64_t inflection_ = 0;
  Instant epoch_ = never;
  // DCTCP.
  std::int64_t alpha_ = 1024, bytes_ = 0, marked_bytes_ = 0;
  std::uint64_t observed_until_ = 0;
};

/// The largest integer whose cube is not above `value`.
std::int64_t cube_root(WideInt value);

}  // namespace peerpath::tcp
