// How well the mean of a series is known whose values depend on each other, and whether its beginning still shows.
//
// All of it in integers, so that it is the same everywhere. Sources:
//   MSER-5   K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
//            69(6), 1997: leave out the first values that make the marginal standard error of the rest least
//   batches  A. M. Law, "Simulation Modeling and Analysis", 5th ed., 9.5.3: non-overlapping batch means, Student's t
//   merging  G. S. Fishman, "Grouping observations in digital simulation", Management Science 24(5), 1978: batches are
//            joined two by two until von Neumann's ratio shows no correlation between neighbours
//   mixing   A. Gelman, D. B. Rubin, "Inference from Iterative Simulation Using Multiple Sequences", Statistical
//   Science
//            7(4), 1992: variance between the means of series against variance within them
//   slope     A. M. Law, ibid., 9.5.1: least squares through the means of eight batches, against its standard error
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace peerpath::observe {

/// Fewest batches that an interval is made of.
inline constexpr std::size_t least_batches = 8;

/// The mean of a series and its 95 % confidence interval, in the unit of the values.
struct BatchMeans {
  std::int64_t mean = 0;
  /// Rounded up; no more than what the means of eight batches span, without independence no less.
  std::int64_t half_width = 0;
  std::int64_t spread = 0;                       ///< between the least and the largest of eight means
  std::int64_t first_half = 0, second_half = 0;  ///< means of the two
  bool independent = false;                      ///< batches show no correlation
  std::size_t batches = 0;
};

/// Of a series of `least_batches` times a power of two values, each of an equally long slice of time.
BatchMeans batch_means(std::span<const std::int64_t> values);

/// MSER: how many of the first values are better left out, up to half of them. Half means: the series is too short to
/// tell. Of MSER-5 its values are means of five observations; here, of a slice of time.
std::size_t truncation(std::span<const std::int64_t> values);

/// Growth of the series from begin to end, by the slope of its eight batch means; 0 where the slope is below 4 standard
/// errors. Independent values exceed that in one of 140 series.
std::int64_t growth(std::span<const std::int64_t> values);

/// Whether series of one kind have come to one mean: their potential scale reduction is at most 1.1 (Gelman and Rubin).
/// All series are equally long; two series of two values at least.
bool mixed(std::span<const std::vector<std::int64_t>> series);

/// The 97.5 % quantile of Student's t in units of 10^-4, for 1 to 31 degrees of freedom.
std::int64_t student_t(std::size_t degrees_of_freedom);

}  // namespace peerpath::observe
