// Latency histogram with log-linear bins: recording costs a shift and an increment, and all answers are integers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "peerpath/base/units.hpp"

namespace peerpath::observe {

/// Counts durations in bins of 1/32 octave (values below 64 fs have a bin each), so a bin is at most 3.2 % wide. Count,
/// sum, least and largest are exact. The layout follows the idea of HdrHistogram (G. Tene), in femtoseconds.
class Histogram {
 public:
  static constexpr int sub_bits = 5;
  static constexpr std::size_t bins = (63 - sub_bits + 1) << sub_bits;

  /// Negative durations count as 0.
  void record(Duration value) {
    const auto fs = value.count() < 0 ? 0 : value.count();
    ++counts_[bin_of(static_cast<std::uint64_t>(fs))];
    ++count_;
    sum_ += fs;
    if (count_ == 1 || fs < least_) least_ = fs;
    if (fs > largest_) largest_ = fs;
  }

  void merge(const Histogram& other);

  std::int64_t count() const { return count_; }
  /// Exact.
  WideInt sum() const { return sum_; }
  Duration least() const { return Duration{least_}; }
  Duration largest() const { return Duration{largest_}; }
  /// Sum over count, rounded down; 0 when empty.
  Duration mean() const;
  /// Value below or at which `parts_per_million` of the samples lie: 990'000 is p99. Interpolated inside the bin that
  /// holds it, never outside least()..largest(); 0 when empty.
  Duration quantile(std::int64_t parts_per_million) const;

  std::int64_t count_in(std::size_t bin) const { return counts_[bin]; }
  /// First value of a bin; that of bin + 1 is one past its last.
  static constexpr std::uint64_t lower_bound(std::size_t bin) {
    const auto octave = bin >> sub_bits;
    const auto step = static_cast<std::uint64_t>(bin & ((1u << sub_bits) - 1));
    return octave == 0 ? step : (step + (1u << sub_bits)) << (octave - 1);
  }
  static constexpr std::size_t bin_of(std::uint64_t value) {
    if (value < (1u << sub_bits)) return static_cast<std::size_t>(value);
    const auto shift = static_cast<std::size_t>(std::bit_width(value)) - 1 - sub_bits;
    return (shift << sub_bits) + static_cast<std::size_t>(value >> shift);
  }

 private:
  std::array<std::int64_t, bins> counts_{};
  std::int64_t count_ = 0;
  WideInt sum_ = 0;
  std::int64_t least_ = 0;
  std::int64_t largest_ = 0;
};

}  // namespace peerpath::observe
