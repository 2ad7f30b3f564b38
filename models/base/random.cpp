#include "peerpath/base/random.hpp"

#include <bit>

namespace peerpath {
namespace {

__extension__ using Wide = unsigned __int128;

/// log2(x) in units of 2^-32, for x > 0, rounded down: the exponent, then a bit of the fraction for each squaring.
std::uint64_t log2_q32(std::uint64_t x) {
  const int zeros = std::countl_zero(x);
  auto fraction = static_cast<std::uint64_t>(63 - zeros);
  std::uint64_t mantissa = x << zeros;  // in [2^63, 2^64): 1.0 .. 2.0
  for (int bit = 0; bit < 32; ++bit) {
    const Wide square = static_cast<Wide>(mantissa) * mantissa;  // in [2^126, 2^128): 1.0 .. 4.0
    const auto carry = static_cast<std::uint64_t>(square >> 127);
    fraction = fraction << 1 | carry;
    mantissa = static_cast<std::uint64_t>(square >> (63 + carry));
  }
  return fraction;
}

constexpr std::uint64_t ln2_q32 = 2'977'044'472;  // ln(2) * 2^32

}  // namespace

std::uint64_t exponential_q32(std::uint64_t bits) {
  const std::uint64_t below = (std::uint64_t{64} << 32) - log2_q32(bits | 1);
  return static_cast<std::uint64_t>(static_cast<Wide>(below) * ln2_q32 >> 32);
}

}  // namespace peerpath
