// DLLPs that a transmitter has to send, in order of due time. What one train of TLPs causes is one batch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fabric/engine/time.hpp"
#include "peerpath/base/ring.hpp"

namespace peerpath::fabric::engine {

/// ACKs and UpdateFCs that one train causes: each kind an arithmetic progression.
struct DllpBatch {
  struct Kind {
    Femto first = unknown_time, step = 0;
    std::int64_t count = 0;
    Femto last() const { return first + (count - 1) * step; }
    void pop() { first = --count == 0 ? unknown_time : first + step; }
  };
  Kind acks, updates;
  Femto sent = unknown_time;  ///< when all of them have left a line that is otherwise idle, if that is known

  bool empty() const { return acks.count + updates.count == 0; }
  Femto front() const { return std::min(acks.first, updates.first); }
  /// When the last has left a line that is otherwise idle, if two of one kind never meet on it.
  Femto sent_by(Femto dllp) const {
    if (acks.count == 0) return updates.last() + dllp;
    if (updates.count == 0) return acks.last() + dllp;
    const Femto a = acks.last(), b = updates.last();
    return std::max(std::max(a, b) + dllp, std::min(a, b) + 2 * dllp);
  }
  std::int64_t size() const { return acks.count + updates.count; }
  void pop() { (acks.first <= updates.first ? acks : updates).pop(); }
};

/// Of equally spaced arrivals, those that cause a DLLP of one kind: the first at or after `next`, and on at `interval`.
inline void owe(DllpBatch::Kind& kind, Femto interval, Femto& next, Femto first, Femto spacing, std::int64_t count) {
  std::int64_t skipped = 0;
  if (next > first) {
    if (next > first + (count - 1) * spacing) return;
    skipped = (next - first + spacing - 1) / spacing;
  }
  kind.first = first + skipped * spacing;
  kind.count = 1;
  if (count - skipped > 1) {
    const std::int64_t every = (interval + spacing - 1) / spacing;
    kind.step = every * spacing;
    kind.count = (count - 1 - skipped) / every + 1;
  }
  next = kind.last() + interval;
}

/// Batches come in order of time and do not overlap, since the arrivals that cause them do not.
class DllpQueue {
 public:
  bool empty() const { return batches_.empty(); }
  /// When the next one is due: `unknown_time` if there is none.
  Femto front() const { return front_; }
  Femto front_sent() const { return front_ == unknown_time ? unknown_time : batches_.front().sent; }
  /// When the first of the second batch is due.
  Femto second_front() const { return batches_.size() < 2 ? unknown_time : batches_[1].front(); }
  const DllpBatch& front_batch() const { return batches_.front(); }

  void push(const DllpBatch& batch) {
    if (front_ == unknown_time) front_ = batch.front();
    batches_.push(batch);
  }
  void pop() {
    DllpBatch& batch = batches_.front();
    batch.pop();
    if (batch.empty()) return pop_batch();
    front_ = batch.front();
  }
  void pop_batch() {
    batches_.pop();
    front_ = batches_.empty() ? unknown_time : batches_.front().front();
  }

  /// What was known of when batches have left holds no longer.
  void forget_sent() {
    for (std::size_t i = 0; i < batches_.size(); ++i) batches_[i].sent = unknown_time;
  }

  /// Calls `see` with each due time in order until it returns false.
  template <class See>
  void each(See&& see) const {
    for (std::size_t i = 0; i < batches_.size(); ++i)
      for (DllpBatch batch = batches_[i]; !batch.empty(); batch.pop())
        if (!see(batch.front())) return;
  }

 private:
  Ring<DllpBatch> batches_;
  Femto front_ = unknown_time;
};

}  // namespace peerpath::fabric::engine
