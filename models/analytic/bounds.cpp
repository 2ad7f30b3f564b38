#include "analytic/bounds.hpp"

#include <limits>

#include "peerpath/base/fail.hpp"

namespace peerpath::analytic {
namespace {

constexpr WideInt fs_per_second = 1'000'000'000'000'000;

BitRate per_time(WideInt bytes, Duration time) {
  require(time > Duration{0}, "a time above 0");
  const auto bits_per_second = bytes * 8 * fs_per_second / femtoseconds(time);
  constexpr WideInt most = std::numeric_limits<std::int64_t>::max();
  return BitRate{narrow(bits_per_second < most ? bits_per_second : most)};
}

}  // namespace

BitRate read_rate_bound(int tags, Bytes request, Duration round_trip) {
  return per_time(WideInt{tags} * request.count(), round_trip);
}

int tags_needed(BitRate rate, Bytes request, Duration round_trip) {
  const WideInt bits_in_flight = WideInt{rate.bps()} * femtoseconds(round_trip);
  const WideInt bits_of_one = WideInt{request.count()} * 8 * fs_per_second;
  return narrow<int>((bits_in_flight + bits_of_one - 1) / bits_of_one);
}

BitRate credit_rate_bound(int credits, Duration latency) {
  return per_time(WideInt{credits} * credit_line.count(), latency);
}

}  // namespace peerpath::analytic
