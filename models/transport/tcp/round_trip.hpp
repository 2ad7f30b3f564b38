// The estimate of the round trip, and the retransmission timeout that follows from it (RFC 6298).
#pragma once

#include <algorithm>

#include "transport/tcp/config.hpp"

namespace peerpath::tcp {

/// Smoothed round trip and its variation; the timeout doubles each time it runs out.
class RoundTrip {
 public:
  explicit RoundTrip(const Config& config) : least_{config.min_rto}, most_{config.max_rto}, base_{config.initial_rto} {}

  void sample(Duration measured) {
    if (smoothed_ == Duration{}) {
      smoothed_ = measured;
      variation_ = measured / 2;
    } else {
      const auto off = measured > smoothed_ ? measured - smoothed_ : smoothed_ - measured;
      variation_ += (off - variation_) / 4;
      smoothed_ += (measured - smoothed_) / 8;
    }
    base_ = std::max(least_, smoothed_ + 4 * variation_);
  }
  void back_off() { shift_ = std::min(shift_ + 1, 20); }
  void reset_back_off() { shift_ = 0; }

  Duration smoothed() const { return smoothed_; }
  Duration timeout() const {
    const auto most = std::max(most_, least_);
    return base_ > most / (std::int64_t{1} << shift_) ? most : base_ * (std::int64_t{1} << shift_);
  }

 private:
  Duration least_, most_, base_;
  Duration smoothed_{}, variation_{};
  int shift_ = 0;
};

}  // namespace peerpath::tcp
