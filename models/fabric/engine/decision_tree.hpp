// The earliest of a fixed set of times, by a tournament: O(log n) to change one, O(1) to ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/engine/time.hpp"

namespace peerpath::fabric::engine {

/// One time for each transmitter: when it starts next. Eight play in each match; of equal times the lower number wins.
class DecisionTree {
 public:
  explicit DecisionTree(std::size_t size) {
    std::size_t leaves = players;
    while (leaves < size) leaves *= players;
    first_leaf_ = (leaves - 1) / (players - 1);
    nodes_.resize(first_leaf_ + leaves);
    for (std::size_t i = 0; i < leaves; ++i) nodes_[first_leaf_ + i].leaf = static_cast<std::uint32_t>(i);
    for (std::size_t i = first_leaf_; i-- > 0;) nodes_[i] = nodes_[players * i + 1];
  }

  Femto earliest_time() const { return nodes_[0].time; }
  std::size_t earliest() const { return nodes_[0].leaf; }

  [[gnu::always_inline]] void set(std::size_t leaf, Femto time) {
    std::size_t i = leaf + first_leaf_;
    nodes_[i].time = time;
    while (i > 0) {
      const std::size_t match = (i - 1) / players;
      Node& winner = nodes_[match];
      if (winner.leaf == leaf && time > winner.time) {
        winner = earliest_of(&nodes_[players * match + 1]);
      } else if (time < winner.time || (time == winner.time && leaf < winner.leaf)) {
        winner = {time, static_cast<std::uint32_t>(leaf)};
      } else {
        return;
      }
      i = match;
    }
  }

 private:
  static constexpr std::size_t players = 8;

  struct Node {
    Femto time = unknown_time;
    std::uint32_t leaf = 0;
  };

  static Node earliest_of(const Node* first) {
    const Node* earliest = first;
    for (const Node* each = first + 1; each < first + players; ++each)
      if (each->time < earliest->time) earliest = each;
    return *earliest;
  }

  std::size_t first_leaf_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace peerpath::fabric::engine
