#include "observe/batch_means.hpp"

#include <algorithm>
#include <array>

#include "peerpath/base/fail.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::observe {
namespace {

/// Differences to the first value, made small enough that their squares can be summed and multiplied in 128 bits.
struct Centred {
  std::vector<WideInt> values;
  int shift = 0;  ///< each is to be multiplied by two to the power of this
};

Centred centred(const std::vector<WideInt>& values) {
  Centred result;
  WideInt largest = 0;
  for (const auto value : values) {
    result.values.push_back(value - values.front());
    largest = std::max(largest, result.values.back() < 0 ? -result.values.back() : result.values.back());
  }
  for (; largest >= WideInt{1} << 36; largest >>= 1) ++result.shift;
  for (auto& value : result.values) value /= WideInt{1} << result.shift;
  return result;
}

/// n times the sum of squared distances from the mean.
WideInt scatter(std::span<const WideInt> values) {
  WideInt sum = 0, squares = 0;
  for (const auto value : values) {
    sum += value;
    squares += value * value;
  }
  return squares * static_cast<WideInt>(values.size()) - sum * sum;
}

WideInt square_root_up(WideInt value) {
  WideInt low = 0, high = WideInt{1} << 62;
  while (low < high) {
    const WideInt middle = (low + high) / 2;
    if (middle * middle >= value)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Von Neumann's ratio as Fishman uses it: 1 - D / 2V, which is near 0 for independent values, against 1.96 of its
/// standard deviation.
bool correlated(std::span<const WideInt> values, WideInt scattered) {
  if (scattered == 0) return false;
  constexpr WideInt million = 1'000'000;
  WideInt steps = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const WideInt step = values[i] - values[i - 1];
    steps += step * step;
  }
  const auto count = static_cast<WideInt>(values.size());
  const WideInt ratio = million - steps * count * (million / 2) / scattered;
  return ratio * ratio * (count * count - 1) * 10'000 > 38'416 * (count - 2) * million * million;
}

std::vector<WideInt> batches_of(std::span<const std::int64_t> values, std::size_t each) {
  std::vector<WideInt> sums(values.size() / each);
  for (std::size_t i = 0; i < sums.size() * each; ++i) sums[i / each] += values[i];
  return sums;
}

std::int64_t mean_of(std::span<const std::int64_t> values) {
  WideInt sum = 0;
  for (const auto value : values) sum += value;
  return values.empty() ? 0 : narrow(sum / static_cast<WideInt>(values.size()));
}

WideInt divide_up(WideInt value, WideInt by) { return (value + by - 1) / by; }

}  // namespace

std::int64_t student_t(std::size_t degrees_of_freedom) {
  constexpr std::array<std::int64_t, 31> quantiles{
      127062, 43027, 31824, 27764, 25706, 24469, 23646, 23060, 22622, 22281, 22010, 21788, 21604, 21448, 21314, 21199,
      21098,  21009, 20930, 20860, 20796, 20739, 20687, 20639, 20595, 20555, 20518, 20484, 20452, 20423, 20395};
  require(degrees_of_freedom >= 1 && degrees_of_freedom <= quantiles.size(), "no quantile of Student's t for that");
  return quantiles[degrees_of_freedom - 1];
}

BatchMeans batch_means(std::span<const std::int64_t> values) {
  require(values.size() >= least_batches && values.size() <= 4 * least_batches, "8, 16 or 32 values make batches");
  BatchMeans result;
  result.mean = mean_of(values);
  result.first_half = mean_of(values.first(values.size() / 2));
  result.second_half = mean_of(values.last(values.size() / 2));
  for (std::size_t each = 1; values.size() / each >= least_batches && !result.independent; each *= 2) {
    const auto sums = batches_of(values, each);
    const auto [shifted, shift] = centred(sums);
    const auto count = static_cast<WideInt>(sums.size());
    const auto scattered = scatter(shifted);
    const auto t = student_t(sums.size() - 1);
    const auto width = square_root_up(divide_up(scattered * t * t, count * count * (count - 1)));
    result.independent = !correlated(shifted, scattered);
    result.batches = sums.size();
    result.half_width = narrow(divide_up(width * (WideInt{1} << shift), WideInt{10'000} * static_cast<WideInt>(each)));
  }
  const auto each = values.size() / least_batches;
  const auto eight = batches_of(values, each);
  const auto [least, largest] = std::ranges::minmax(eight);
  result.spread = narrow(divide_up(largest - least, static_cast<WideInt>(each)));
  // What comes in bursts scatters from slice to slice, and much less from one eighth to the next.
  result.half_width =
      result.independent ? std::min(result.half_width, result.spread) : std::max(result.half_width, result.spread);
  return result;
}

std::int64_t growth(std::span<const std::int64_t> values) {
  require(values.size() >= least_batches, "8 values at least make a slope");
  const auto each = values.size() / least_batches;
  const auto [eight, shift] = centred(batches_of(values.last(each * least_batches), each));
  // Places are -7, -5 ... 7, whose squares sum up to 168.
  WideInt along = 0;
  for (std::size_t i = 0; i < eight.size(); ++i) along += eight[i] * (2 * static_cast<WideInt>(i) - 7);
  constexpr WideInt squares = 168, errors = 4, free = 6;
  // slope^2 against errors^2 * (what the slope leaves of the scatter) / (free * squares), times 8 * squares
  if (8 * free * along * along <= errors * errors * (squares * scatter(eight) - 8 * along * along)) return 0;
  return narrow(along * 16 * (WideInt{1} << shift) / (squares * static_cast<WideInt>(each)));
}

/// With n series of m values, b the variance between means and w the mean variance within: (m - 1) / m + b / w <= 1.21.
bool mixed(std::span<const std::vector<std::int64_t>> series) {
  require(series.size() >= 2 && series.front().size() >= 2, "two series of two values at least can mix");
  const auto count = static_cast<WideInt>(series.size()), length = static_cast<WideInt>(series.front().size());
  const WideInt origin = series.front().front();
  WideInt largest = 0;
  for (const auto& values : series)
    for (const auto value : values) largest = std::max(largest, value < origin ? origin - value : value - origin);
  int shift = 0;
  for (; largest >= WideInt{1} << 24; largest >>= 1) ++shift;
  std::vector<WideInt> sums, shifted;
  WideInt within = 0;
  for (const auto& values : series) {
    shifted.clear();
    for (const auto value : values) shifted.push_back((value - origin) / (WideInt{1} << shift));
    sums.push_back(0);
    for (const auto value : shifted) sums.back() += value;
    within += scatter(shifted);
  }
  return scatter(sums) * 100 * (length - 1) <= within * (21 * length + 100) * (count - 1);
}

std::size_t truncation(std::span<const std::int64_t> values) {
  const auto shifted = centred(batches_of(values, 1)).values;
  std::size_t best = 0;
  WideInt least = 0, least_cube = 1;
  for (std::size_t left_out = 0; left_out <= shifted.size() / 2; ++left_out) {
    const auto rest = std::span{shifted}.subspan(left_out);
    const auto count = static_cast<WideInt>(rest.size());
    const auto scattered = scatter(rest);
    const auto cube = count * count * count;
    if (left_out > 0 && scattered * least_cube >= least * cube) continue;
    best = left_out;
    least = scattered;
    least_cube = cube;
  }
  return best;
}

}  // namespace peerpath::observe
