// Deliveries that wait for their time: a ring, because they nearly always come in order.
#pragma once

#include <bit>
#include <cstddef>
#include <tuple>
#include <vector>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::loop {

/// Deliveries in the order in which a device sees them: by time, then kind, requester, channel, cookie, address,
/// request. A fabric may compute them in another order, so an insertion walks back over later ones.
class DeliveryRing {
 public:
  bool empty() const { return head_ == tail_; }
  const fabric::Delivery& front() const { return slots_[head_ & mask_]; }
  void pop() { ++head_; }
  /// When the first one is due; `never` without any.
  Instant next() const { return empty() ? never : front().done; }

  void insert(const fabric::Delivery& delivery) {
    if (tail_ - head_ == mask_ + 1) grow();
    const auto last = tail_++;
    if (last == head_ || delivery.done > slots_[(last - 1) & mask_].done)
      slots_[last & mask_] = delivery;
    else
      insert_between(delivery, last);
  }

 private:
  static bool before(const fabric::Delivery& a, const fabric::Delivery& b) {
    if (a.done != b.done) return a.done < b.done;
    const auto key = [](const fabric::Delivery& d) {
      return std::tuple{d.kind, d.requester, d.channel, d.cookie, d.address, d.request};
    };
    return key(a) < key(b);
  }

  [[gnu::noinline]] void insert_between(const fabric::Delivery& delivery, std::size_t at) {
    for (; at != head_ && before(delivery, slots_[(at - 1) & mask_]); --at)
      slots_[at & mask_] = slots_[(at - 1) & mask_];
    slots_[at & mask_] = delivery;
  }

  [[gnu::noinline]] void grow() {
    std::vector<fabric::Delivery> wider(slots_.size() * 2);
    for (auto i = head_; i != tail_; ++i) wider[i - head_] = slots_[i & mask_];
    tail_ -= head_;
    head_ = 0;
    slots_.swap(wider);
    mask_ = slots_.size() - 1;
  }

  std::vector<fabric::Delivery> slots_ = std::vector<fabric::Delivery>(16);  ///< a power of two
  std::size_t mask_ = 15, head_ = 0, tail_ = 0;
};

}  // namespace peerpath::loop
