#include "peerpath/observe/histogram.hpp"

#include <algorithm>

namespace peerpath::observe {

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  const auto last = bin_of(static_cast<std::uint64_t>(other.largest_));
  for (auto bin = bin_of(static_cast<std::uint64_t>(other.least_)); bin <= last; ++bin)
    counts_[bin] += other.counts_[bin];
  least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
  largest_ = std::max(largest_, other.largest_);
  count_ += other.count_;
  sum_ += other.sum_;
}

Duration Histogram::mean() const { return Duration{count_ == 0 ? 0 : narrow(sum_ / count_)}; }

Duration Histogram::quantile(std::int64_t parts_per_million) const {
  if (count_ == 0) return Duration{0};
  const auto rank =
      std::clamp<WideInt>((static_cast<WideInt>(count_) * parts_per_million + 999'999) / 1'000'000, 1, count_);
  std::int64_t below = 0;
  auto bin = bin_of(static_cast<std::uint64_t>(least_));
  while (below + counts_[bin] < rank) below += counts_[bin++];
  // The samples of a bin are taken as spread evenly over it.
  const auto lower = static_cast<WideInt>(lower_bound(bin));
  const auto width = static_cast<WideInt>(lower_bound(bin + 1)) - lower;
  const auto value = lower + width * (rank - below) / counts_[bin];
  return Duration{narrow(std::clamp<WideInt>(value, least_, largest_))};
}

}  // namespace peerpath::observe
