// Occupancy of the on-chip buffer between the wire and PCIe.
#pragma once

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "peerpath/base/units.hpp"

namespace peerpath::nic {

/// Bytes of frames that are in the NIC. The space of a frame is free again when the last TLP of its last write has left
/// the NIC. It costs no event: releases are told ahead of time.
class RxFifo {
 public:
  explicit RxFifo(Bytes capacity) : capacity_{capacity} {}

  /// Takes the frame in if it fits.
  bool accept(Bytes frame, Instant now) {
    drain(now);
    if (held_ + frame > capacity_) return false;
    held_ += frame;
    peak_ = std::max(peak_, held_);
    return true;
  }

  /// The frame's space is free from `when` on, which may lie ahead.
  void release(Bytes frame, Instant when) { releases_.emplace(when, frame); }

  void clear() {
    held_ = Bytes{0};
    releases_ = {};
  }

  Bytes held(Instant now) {
    drain(now);
    return held_;
  }
  Bytes peak() const { return peak_; }

 private:
  void drain(Instant now) {
    while (!releases_.empty() && releases_.top().first < now) {
      held_ -= releases_.top().second;
      releases_.pop();
    }
  }

  using Release = std::pair<Instant, Bytes>;
  Bytes capacity_;
  Bytes held_{};
  Bytes peak_{};
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
};

}  // namespace peerpath::nic
