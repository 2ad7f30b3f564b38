// The earliest of a fixed set of times, by a tournament: O(log n) to change one, O(1) to ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/engine/time.hpp"

namespace peerpath::fabric::engine {

/// One time for each transmitter: when it starts next. Four play in each match, so that a domain of up to 16 has two
/// rounds; of equal times the lower number wins.
class DecisionTree {
 public:
  explicit DecisionTree(std::size_t size) {
    std::size_t leaves = 4;
    while (leaves < size) leaves *= 4;
    first_leaf_ = (leaves - 1) / 3;
    nodes_.resize(first_leaf_ + leaves);
    for (std::size_t i = 0; i < leaves; ++i) nodes_[first_leaf_ + i].leaf = static_cast<std::uint32_t>(i);
    for (std::size_t i = first_leaf_; i-- > 0;) nodes_[i] = nodes_[4 * i + 1];
  }

  Femto earliest_time() const { return nodes_[0].time; }
  std::size_t earliest() const { return nodes_[0].leaf; }

  [[gnu::always_inline]] void set(std::size_t leaf, Femto time) {
    Node* const nodes = nodes_.data();
    std::size_t i = leaf + first_leaf_;
    if (nodes[i].time == time) return;
    nodes[i].time = time;
    while (i > 0) {
      i = (i - 1) / 4;
      const Node* const players = &nodes[4 * i + 1];
      const Node* const one = players[1].time < players[0].time ? players + 1 : players;
      const Node* const other = players[3].time < players[2].time ? players + 3 : players + 2;
      const Node earliest = other->time < one->time ? *other : *one;
      if (nodes[i].leaf == earliest.leaf && nodes[i].time == earliest.time) return;
      nodes[i] = earliest;
    }
  }

 private:
  struct Node {
    Femto time = unknown_time;
    std::uint32_t leaf = 0;
  };

  std::size_t first_leaf_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace peerpath::fabric::engine
