// When completions cause an interrupt.
#pragma once

#include <cstdint>

#include "peerpath/base/time.hpp"

namespace peerpath::nic {

/// One interrupt vector. It fires once, then waits until the driver has armed it again, saying how far it has read. Two
/// interrupts are at least `interval` apart, unless `frames` completions have gathered.
class InterruptModeration {
 public:
  InterruptModeration(Duration interval, int frames) : interval_{interval}, frames_{frames} {}

  /// The writes of all completions below `index` have left the NIC.
  void completed(std::uint32_t index) { written_ = index; }

  /// The driver has consumed all completions below `index` and wants to hear of more.
  void arm(std::uint32_t index) {
    consumed_ = index;
    armed_ = true;
  }

  /// When it wants to fire: `now` for at once, `never` if there is nothing to tell.
  Instant due(Instant now) const {
    const auto pending = static_cast<std::int32_t>(written_ - consumed_);
    if (!armed_ || pending <= 0) return never;
    if (pending >= frames_ || !fired_once_ || last_ + interval_ <= now) return now;
    return last_ + interval_;
  }

  void fired(Instant now) {
    armed_ = false;
    fired_once_ = true;
    last_ = now;
  }

 private:
  Duration interval_;
  int frames_;
  std::uint32_t written_ = 0, consumed_ = 0;
  bool armed_ = true;
  bool fired_once_ = false;
  Instant last_{};
};

}  // namespace peerpath::nic
