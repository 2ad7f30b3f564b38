// Powers by the four operations alone, so that they are the same on every machine: good to nine digits.
#pragma once

namespace peerpath::host_memory {

/// e^x for x <= 0: a short series of a small part of x, squared ten times.
constexpr double exponential(double x) {
  constexpr int squarings = 10, terms = 8;
  constexpr double least = -50;
  if (x < least) return 0;
  const double part = x / (1 << squarings);
  double sum = 1;
  for (int n = terms; n > 0; --n) sum = 1 + part / n * sum;
  for (int n = 0; n < squarings; ++n) sum *= sum;
  return sum;
}

/// ln x for 0 < x <= 1: halvings, and of the rest 2 artanh((x - 1) / (x + 1)).
constexpr double logarithm(double x) {
  constexpr double ln2 = 0.693147180559945309;
  constexpr int terms = 21;
  int halvings = 0;
  for (; x < 0.5; x *= 2) ++halvings;
  const double z = (x - 1) / (x + 1);
  double sum = 0;
  for (int n = terms; n > 0; n -= 2) sum = sum * z * z + 1.0 / n;
  return 2 * z * sum - halvings * ln2;
}

/// x^y for 0 < x <= 1 and y >= 0; of 0 it is 0.
constexpr double power(double x, double y) { return x > 0 ? exponential(y * logarithm(x)) : 0; }

}  // namespace peerpath::host_memory
