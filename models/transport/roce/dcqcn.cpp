#include "transport/roce/dcqcn.hpp"

#include <algorithm>

namespace peerpath::roce {

using namespace std::chrono_literals;

DcqcnParameters parameters(DcqcnSet set, BitRate line) {
  DcqcnParameters p;
  if (set == DcqcnSet::off) return p;
  const auto scaled = [&](std::int64_t mbps) {
    return BitRate{static_cast<std::int64_t>(static_cast<WideInt>(line.bps()) * mbps / 25'000)};
  };
  p.enabled = true;
  p.additive = scaled(5);
  p.hyper = scaled(50);
  p.least = BitRate{100'000'000};
  const bool original = set == DcqcnSet::original;
  p.increase_period = original ? 55us : set == DcqcnSet::vendor ? 300us : 900us;
  p.decrease_period = p.cnp_period = original ? 50us : 4us;
  p.alpha_period = original ? 50us : 1us;
  return p;
}

void DcqcnRate::notify(Instant now) {
  if (!parameters_.enabled) return;
  ++notifications_;
  if (!limited_) {
    limited_ = true;
    alpha_q32_ = std::int64_t{1} << 32;
    next_alpha_ = now + parameters_.alpha_period;
    next_cut_ = now;
  } else {
    advance(now);
  }
  heard_ = true;
  if (now >= next_cut_)
    cut(now);
  else
    cut_waits_ = true;
}

void DcqcnRate::advance(Instant now) {
  while (true) {
    const Instant cut_at = cut_waits_ ? next_cut_ : never;
    const Instant due = std::min({cut_at, next_alpha_, next_increase_});
    if (due > now) return;
    if (due == next_alpha_) {
      alpha_q32_ -= alpha_q32_ * parameters_.gain_q16 >> 16;
      if (heard_) alpha_q32_ += parameters_.gain_q16 << 16;
      // Rounding down would hold a small alpha for ever.
      if (!heard_ && alpha_q32_ < 65536 / parameters_.gain_q16) alpha_q32_ = 0;
      heard_ = false;
      next_alpha_ = alpha_q32_ == 0 ? never : due + parameters_.alpha_period;
    } else if (due == cut_at) {
      cut(due);
    } else {
      increase();
      next_increase_ = due + parameters_.increase_period;
    }
    if (rate_ >= line_) {  // as if it had never been cut
      limited_ = false;
      rate_ = target_ = line_;
      next_increase_ = next_alpha_ = never;
      return;
    }
  }
}

/// Cuts that follow each other leave the target where it was before the first: it is lowered after an increase alone
/// (clamp_tgt_rate off, clamp_tgt_rate_after_time_inc on, as NICs have it and HPCC's simulation).
void DcqcnRate::cut(Instant now) {
  if (stage_ > 0) target_ = rate_;
  const auto lost = static_cast<std::int64_t>(static_cast<WideInt>(rate_.bps()) * alpha_q32_ >> 33);
  rate_ = BitRate{std::max(rate_.bps() - lost, parameters_.least.bps())};
  stage_ = 0;
  cut_waits_ = false;
  next_cut_ = now + parameters_.decrease_period;
  next_increase_ = now + parameters_.increase_period;
  if (next_alpha_ == never) next_alpha_ = now + parameters_.alpha_period;
}

void DcqcnRate::increase() {
  ++stage_;
  if (stage_ > parameters_.fast_recovery) {
    const auto step = stage_ == parameters_.fast_recovery + 1 ? parameters_.additive : parameters_.hyper;
    target_ = BitRate{std::min(target_.bps() + step.bps(), line_.bps())};
  }
  // Rounded up, so that the target is reached.
  rate_ = BitRate{(rate_.bps() + target_.bps() + 1) / 2};
}

}  // namespace peerpath::roce
