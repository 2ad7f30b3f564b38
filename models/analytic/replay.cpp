#include "analytic/replay.hpp"

namespace peerpath::analytic {

double replays_per_tlp(double bits, double bits_per_error) {
  const double x = bits / bits_per_error;
  double sum = 0, term = x;  // exp(x) - 1 by its series
  for (int k = 2; term > sum * 1e-17; ++k) {
    sum += term;
    term *= x / k;
  }
  return sum;
}

double goodput_share(double replays_per_tlp, double serialisation, double recovery) {
  return serialisation / (serialisation + replays_per_tlp * (serialisation + recovery));
}

}  // namespace peerpath::analytic
