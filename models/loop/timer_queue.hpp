// The timers of one device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "peerpath/device/endpoint.hpp"

namespace peerpath::loop {

/// Pending times by timer, and the earliest of them. A replaced time stays in the heap until it comes to the top.
class TimerQueue {
 public:
  /// Replaces the pending time of the timer; `never` cancels it.
  void set(device::TimerId timer, Instant when) {
    if (timer.value() >= pending_.size()) pending_.resize(timer.value() + std::size_t{1}, never);
    pending_[timer.value()] = when;
    if (when != never) {
      heap_.emplace_back(when, timer);
      std::ranges::push_heap(heap_, std::greater{});
    }
    drop_stale();
  }

  Instant next() const { return heap_.empty() ? never : heap_.front().first; }

  /// Takes the earliest timer; of several at one time the lowest number.
  device::TimerId pop() {
    const auto timer = heap_.front().second;
    pending_[timer.value()] = never;
    drop_stale();
    return timer;
  }

 private:
  void drop_stale() {
    while (!heap_.empty() && pending_[heap_.front().second.value()] != heap_.front().first) {
      std::ranges::pop_heap(heap_, std::greater{});
      heap_.pop_back();
    }
  }

  std::vector<Instant> pending_;
  std::vector<std::pair<Instant, device::TimerId>> heap_;
};

}  // namespace peerpath::loop
