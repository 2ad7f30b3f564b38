#include "transport/tcp/congestion_control.hpp"

#include <algorithm>

namespace peerpath::tcp {
namespace {

constexpr std::int64_t microsecond = 1'000'000'000;  ///< in femtoseconds
constexpr int gain_log2 = 4;                         ///< of DCTCP's average, RFC 8257 4.2
constexpr std::int64_t least_segments = 2;

}  // namespace

std::int64_t cube_root(WideInt value) {
  std::int64_t root = 0;
  for (int bit = 41; bit >= 0; --bit) {
    const auto larger = root + (std::int64_t{1} << bit);
    if (static_cast<WideInt>(larger) * larger * larger <= value) root = larger;
  }
  return root;
}

CongestionControl::CongestionControl(const Config& config, std::uint32_t mss)
    : kind_{config.congestion},
      slow_start_{config.slow_start},
      mss_{mss},
      window_{std::int64_t{config.initial_window} * mss},
      threshold_{std::int64_t{1} << 40} {}

void CongestionControl::limit_segment(std::uint32_t mss) {
  if (mss >= mss_) return;
  window_ = window_ / mss_ * mss;
  mss_ = mss;
}

void CongestionControl::set_window(std::int64_t bytes) { window_ = std::max(bytes, mss_); }

void CongestionControl::acknowledged(std::int64_t bytes, Duration round_trip, Instant now) {
  if (window_ < threshold_) {
    const auto grown = slow_start_ == SlowStart::per_ack ? std::min(bytes, mss_) : bytes;
    const auto most = threshold_ - window_;
    window_ += std::min(grown, most);
    bytes -= std::min(bytes, most);
    if (grown < most || bytes == 0) return;
  }
  if (kind_ == Congestion::cubic) return cubic_acknowledged(bytes, round_trip, now);
  grow_by_one_a_window(bytes);
}

/// One segment for each window of data (RFC 5681 section 3.1).
void CongestionControl::grow_by_one_a_window(std::int64_t bytes) {
  remainder_ += bytes * mss_;
  const auto step = remainder_ / window_;
  remainder_ -= step * window_;
  window_ += step;
}

void CongestionControl::begin_epoch(Instant now) {
  epoch_ = now;
  remainder_ = estimate_remainder_ = 0;
  estimate_ = window_;
  if (window_ >= origin_) {
    origin_ = window_;
    inflection_ = 0;
    return;
  }
  // K = cbrt((W_max - cwnd) / C) seconds with C = 0.4 segments (RFC 9438 section 4.2), here in microseconds.
  constexpr WideInt cubed = static_cast<WideInt>(1'000'000'000) * 1'000'000'000;
  inflection_ = cube_root(static_cast<WideInt>(origin_ - window_) * 10 * cubed / (4 * mss_));
}

/// W_cubic at a time since the epoch.
std::int64_t CongestionControl::cubic_window(std::int64_t microseconds) const {
  const auto t =
      static_cast<WideInt>(std::clamp<std::int64_t>(microseconds - inflection_, -2'000'000'000, 2'000'000'000));
  constexpr WideInt cubed = static_cast<WideInt>(1'000'000'000) * 1'000'000'000;
  return origin_ + static_cast<std::int64_t>(t * t * t * mss_ * 4 / 10 / cubed);
}

void CongestionControl::cubic_acknowledged(std::int64_t bytes, Duration round_trip, Instant now) {
  if (epoch_ == never) begin_epoch(now);
  const auto elapsed = (now - epoch_).count() / microsecond;
  // W_est grows by alpha segments a window: 9/17 = 3 (1 - beta) / (1 + beta), and 1 once it has reached the window
  // before the reduction (RFC 9438 section 4.3).
  const auto numerator = estimate_ >= prior_ ? 17 : 9;
  estimate_remainder_ += bytes * mss_ * numerator;
  const auto grown = estimate_remainder_ / (window_ * 17);
  estimate_remainder_ -= grown * window_ * 17;
  estimate_ += grown;
  if (cubic_window(elapsed) < estimate_) {
    window_ = std::max(window_, estimate_);
    return;
  }
  const auto target = std::clamp(cubic_window(elapsed + round_trip.count() / microsecond), window_, window_ * 3 / 2);
  remainder_ += (target - window_) * bytes;
  const auto step = remainder_ / window_;
  remainder_ -= step * window_;
  window_ += step;
}

void CongestionControl::lost() {
  if (kind_ == Congestion::cubic) {
    // Fast convergence (RFC 9438 section 4.7), and a reduction to 0.7.
    origin_ = window_ < origin_ ? window_ * 17 / 20 : window_;
    prior_ = window_;
    epoch_ = never;
    threshold_ = window_ * 7 / 10;
  } else {
    threshold_ = window_ / 2;
  }
  threshold_ = std::max(threshold_, least_segments * mss_);
}

void CongestionControl::marked() {
  if (kind_ != Congestion::dctcp) return lost();
  threshold_ = std::max(window_ - window_ * alpha_ / 2048, least_segments * mss_);  // RFC 8257 section 3.3
}

void CongestionControl::count_marks(std::int64_t bytes, bool marked, std::uint64_t una, std::uint64_t next) {
  if (kind_ != Congestion::dctcp) return;
  bytes_ += bytes;
  if (marked) marked_bytes_ += bytes;
  if (una <= observed_until_) return;
  // As Linux does it in integers: what the shift cannot take away goes at once.
  const auto fades = alpha_ >> gain_log2;
  alpha_ -= fades > 0 ? fades : alpha_;
  if (bytes_ > 0) alpha_ = std::min<std::int64_t>(alpha_ + (marked_bytes_ << (10 - gain_log2)) / bytes_, 1024);
  bytes_ = marked_bytes_ = 0;
  observed_until_ = next;
}

void CongestionControl::timed_out() {
  lost();
  window_ = mss_;
  remainder_ = 0;
}

}  // namespace peerpath::tcp
