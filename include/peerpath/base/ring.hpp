// A FIFO in a growing power-of-two array: no allocation before the first value, nor once it has its working size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace peerpath {

/// A queue of values. What has left it keeps its place until another value takes it.
template <class T>
class Ring {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  T& front() { return items_[head_ & mask_]; }
  const T& front() const { return items_[head_ & mask_]; }
  T& back() { return items_[(tail_ - 1) & mask_]; }
  const T& back() const { return items_[(tail_ - 1) & mask_]; }
  /// i-th from the front.
  T& operator[](std::size_t i) { return items_[(head_ + i) & mask_]; }
  const T& operator[](std::size_t i) const { return items_[(head_ + i) & mask_]; }
  void pop() { ++head_; }
  void pop_back() { --tail_; }
  void clear() { head_ = tail_; }

  /// A new last item, with the value of an earlier one.
  [[gnu::always_inline]] T& push_stale() {
    if (tail_ - head_ + 1 > mask_ + 1) grow();
    return items_[tail_++ & mask_];
  }

  [[gnu::always_inline]] T& push(const T& item) {
    if (tail_ - head_ + 1 > mask_ + 1) grow();
    return items_[tail_++ & mask_] = item;
  }

 private:
  static constexpr auto none = ~std::size_t{0};  ///< the mask of no places: one less than their number, as any other
  [[gnu::noinline]] void grow() {
    std::vector<T> larger(std::max<std::size_t>(1, items_.size() * 2));
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = (*this)[i];
    items_ = std::move(larger);
    mask_ = items_.size() - 1;
    head_ = 0;
    tail_ = count;
  }

  std::vector<T> items_;
  std::size_t mask_ = none, head_ = 0, tail_ = 0;
};

}  // namespace peerpath
