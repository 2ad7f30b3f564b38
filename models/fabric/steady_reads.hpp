// What one endpoint remembers of its reads, so as to see that they repeat themselves (engine_steady.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fabric/dllp_queue.hpp"

namespace peerpath::fabric {

/// All that what comes depends on, as numbers: times count from the moment, what lies in the past is 0.
class SteadyState {
 public:
  void add(std::int64_t number) {
    if (size_ < numbers_.size()) numbers_[size_] = number;
    ++size_;
  }
  bool complete() const { return size_ > 0 && size_ <= numbers_.size(); }
  void clear() { size_ = 0; }
  bool operator==(const SteadyState& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (numbers_[i] != other.numbers_[i]) return false;
    return true;
  }

 private:
  std::size_t size_ = 0;
  std::array<std::int64_t, 500> numbers_;
};

/// Reads whose start finds all the same but for when DLLPs may next be caused.
struct SteadyReads {
  /// Of one direction of a link: DLLPs, busy, queueing, credit stall, TLPs, payload, overhead.
  using Book = std::array<std::int64_t, 7>;
  using Books = std::array<Book, 4>;

  struct Phase {
    std::array<Femto, 8> echo;  ///< by link and kind: a DLLP may be caused so much later
    int follower = -1;          ///< of the next read, if that comes one period later
    Books added;                ///< until then
  };

  SteadyState state;  ///< when a read starts
  std::array<Phase, 16> phases;
  int known = 0;
  Femto period = 0;  ///< from read to read
  Femto ahead = 0;   ///< of what has started, when a read starts

  int phase = -1;                     ///< of the last read that was looked at
  Femto at = 0;                       ///< its start
  Books books;                        ///< then
  Femto last = 0, gap = 0;            ///< start of the last read, and its distance from the one before
  Femto answered = 0;                 ///< when the last read was done
  std::int32_t misses = 0, rest = 0;  ///< comparisons in vain; reads until the next one

  bool repeats() const { return phase >= 0 && phases[static_cast<std::size_t>(phase)].follower >= 0; }
  void begin_with(const SteadyState& now) {
    state = now;
    known = 0;
    phase = -1;
    period = ahead = 0;
  }
  /// The phase in which this may be caused; nothing is known of a new one yet.
  int phase_of(const std::array<Femto, 8>& echo) {
    for (int i = 0; i < known; ++i)
      if (phases[static_cast<std::size_t>(i)].echo == echo) return i;
    if (known == static_cast<int>(phases.size())) known = 0, phase = -1;
    Phase& fresh = phases[static_cast<std::size_t>(known)];
    fresh.echo = echo;
    fresh.follower = -1;
    return known++;
  }
  void forget() {
    state.clear();
    known = 0;
    phase = -1;
  }
};

}  // namespace peerpath::fabric
