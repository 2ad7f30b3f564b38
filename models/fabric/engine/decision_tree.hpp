// The earliest of a fixed set of times, by a tournament: O(log n) to change one, O(1) to ask.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/engine/time.hpp"

namespace peerpath::fabric::engine {

/// One time for each transmitter: when it starts next.
class DecisionTree {
 public:
  explicit DecisionTree(std::size_t size) : leaves_{std::bit_ceil(size < 2 ? 2 : size)}, nodes_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) nodes_[leaves_ + i] = {unknown_time, static_cast<std::uint32_t>(i)};
    for (std::size_t i = leaves_ - 1; i > 0; --i) nodes_[i] = nodes_[2 * i];
  }

  Femto earliest_time() const { return nodes_[1].time; }
  std::size_t earliest() const { return nodes_[1].leaf; }

  [[gnu::always_inline]] void set(std::size_t leaf, Femto time) {
    std::size_t i = leaf + leaves_;
    if (nodes_[i].time == time) return;
    nodes_[i].time = time;
    while (i > 1) {
      const Node& left = nodes_[i & ~std::size_t{1}];
      const Node& right = nodes_[i | 1];
      const Node earlier = right.time < left.time ? right : left;
      Node& parent = nodes_[i >> 1];
      if (parent.leaf == earlier.leaf && parent.time == earlier.time) return;
      parent = earlier;
      i >>= 1;
    }
  }

 private:
  struct Node {
    Femto time = unknown_time;
    std::uint32_t leaf = 0;
  };

  std::size_t leaves_;
  std::vector<Node> nodes_;
};

}  // namespace peerpath::fabric::engine
