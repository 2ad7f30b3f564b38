// Deterministic randomness from integers alone: same seed, same numbers on any machine and compiler.
#pragma once

#include <cstdint>
#include <string_view>

namespace peerpath {

/// Mixes 64 bits so that each input bit reaches each output bit (the splitmix64 finaliser; Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// One named stream of random numbers. Streams with different names are independent, so a device that draws more does
/// not shift what another one sees.
class Random {
 public:
  constexpr Random(std::uint64_t seed, std::string_view stream) : state_{mix(seed)} {
    for (const char c : stream) state_ = mix(state_ ^ static_cast<unsigned char>(c));
  }

  constexpr std::uint64_t next() { return mix(state_++); }

  /// Uniform in [0, bound), bound > 0; the bias is below 2^-32 for bounds below 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

/// A sample of the exponential distribution with mean 1, in units of 2^-32, from 64 random bits: -ln(bits / 2^64), with
/// the logarithm taken bit by bit in integers (Knuth, TAOCP 1, exercise 1.2.2-25 has the idea), so it is the same
/// everywhere.
std::uint64_t exponential_q32(std::uint64_t bits);

}  // namespace peerpath
