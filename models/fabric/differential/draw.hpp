// Small helpers over peerpath::Random for the generator of cases.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "peerpath/base/random.hpp"

namespace peerpath::fabric::differential {

constexpr std::int64_t ns = 1'000'000;  ///< in femtoseconds, which durations are drawn in

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_{seed, "differential"} {}

  std::uint64_t next() { return random_.next(); }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least) + 1));
  }
  int small(int least, int most) { return static_cast<int>(between(least, most)); }
  bool chance(int percent) { return small(0, 99) < percent; }

  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  Random random_;
};

}  // namespace peerpath::fabric::differential
