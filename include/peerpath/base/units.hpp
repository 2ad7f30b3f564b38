// Strong integers for data sizes and rates; every computation is exact integer arithmetic.
#pragma once

#include <compare>
#include <cstdint>

#include "peerpath/base/fail.hpp"
#include "peerpath/base/time.hpp"

namespace peerpath {

__extension__ using WideInt = __int128;

/// `value` in a narrower signed type. Ends the process with `exit_bug` if it does not fit: a wrapped count would look
/// like a result. Limits of the scenario keep what a user can write below that.
template <class To = std::int64_t>
constexpr To narrow(WideInt value, SourcePlace where = SourcePlace::current()) {
  const auto narrowed = static_cast<To>(value);
  if (narrowed != value) [[unlikely]]
    fail("a 128-bit sum or quotient exceeds the range of its type", where);
  return narrowed;
}

/// A number of bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_{count} {}
  constexpr std::int64_t count() const { return count_; }
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count_ + b.count_}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.count_ - b.count_}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return Bytes{a.count_ * n}; }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }
  friend constexpr Bytes operator%(Bytes a, Bytes b) { return Bytes{a.count_ % b.count_}; }

 private:
  std::int64_t count_ = 0;
};

/// A data rate in bits per second.
class BitRate {
 public:
  constexpr BitRate() = default;
  constexpr explicit BitRate(std::int64_t bits_per_second) : bps_{bits_per_second} {}
  constexpr std::int64_t bps() const { return bps_; }
  constexpr auto operator<=>(const BitRate&) const = default;

 private:
  std::int64_t bps_ = 0;
};

/// Time to push `size` through a link of `rate`, rounded up to a whole femtosecond; at most 2.5 hours, see `narrow`.
constexpr Duration operator/(Bytes size, BitRate rate) {
  const auto bits_fs = static_cast<WideInt>(size.count()) * 8 * 1'000'000'000'000'000;
  return Duration{narrow((bits_fs + rate.bps() - 1) / rate.bps())};
}

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 30}; }
constexpr BitRate operator""_Gbps(unsigned long long n) {
  return BitRate{static_cast<std::int64_t>(n) * 1'000'000'000};
}
constexpr BitRate operator""_Mbps(unsigned long long n) { return BitRate{static_cast<std::int64_t>(n) * 1'000'000}; }
}  // namespace literals

static_assert(4096_B / 200_Gbps == Duration{163'840'000});

}  // namespace peerpath
