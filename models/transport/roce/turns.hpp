// Queue pairs that take turns, of which most may have to wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "peerpath/base/random.hpp"

namespace peerpath::roce {

/// A round robin: whoever is passed over or served goes to the end. Each has kinds, as bits; finding the first of some
/// kinds takes time that grows with the logarithm of all. A treap by place (Seidel and Aragon 1996), in which each node
/// knows the kinds below it.
class Turns {
 public:
  using Kinds = std::uint32_t;
  using Place = std::uint32_t;  ///< stays valid until its owner leaves

  bool empty() const { return root_ == none; }
  /// Of all together.
  Kinds kinds() const { return nodes_[root_].below; }
  /// Nodes that were visited: the work done.
  std::int64_t visited() const { return visited_; }

  /// At the end.
  Place push(std::uint32_t who, Kinds kinds) {
    Place place = free_;
    if (place == none) {
      place = static_cast<Place>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[place].left;
    }
    nodes_[place] = {
        .who = who, .weight = static_cast<std::uint32_t>(mix(++pushed_) >> 32), .own = kinds, .below = kinds};
    set_root(merge(root_, place));
    return place;
  }

  void change(Place place, Kinds kinds) {
    nodes_[place].own = kinds;
    for (; place != none; place = nodes_[place].up) {
      ++visited_;
      auto& node = nodes_[place];
      const auto below = node.own | nodes_[node.left].below | nodes_[node.right].below;
      if (below == node.below) return;
      node.below = below;
    }
  }

  /// The first that has one of the kinds. It and all before it go to the end, in their order; all are passed over where
  /// there is none. Those passed over that have one of the kinds `leaving` do not come back: `left` is called for each.
  template <class Left>
  std::optional<std::uint32_t> take(Kinds wanted, Kinds leaving, const Left& left) {
    if (!(kinds() & wanted)) {
      set_root(without(root_, leaving, left));
      return std::nullopt;
    }
    Place before = none, rest = none;
    split(root_, wanted, before, rest);
    const auto taken = pop_front(rest);
    before = without(before, leaving, left);
    set_root(merge(merge(rest, before), taken));
    return nodes_[taken].who;
  }

 private:
  static constexpr Place none = 0;  ///< a node without kinds
  struct Node {
    std::uint32_t who = 0;
    Place left = none, right = none, up = none;
    std::uint32_t weight = 0;  ///< greater than all below it
    Kinds own = 0, below = 0;  ///< `below` with its own
  };

  void set_root(Place place) {
    root_ = place;
    nodes_[place].up = none;
  }

  Place join(Place place) {
    ++visited_;
    auto& node = nodes_[place];
    nodes_[node.left].up = nodes_[node.right].up = place;
    node.below = node.own | nodes_[node.left].below | nodes_[node.right].below;
    return place;
  }

  Place merge(Place a, Place b) {
    if (a == none) return b;
    if (b == none) return a;
    if (nodes_[a].weight > nodes_[b].weight) {
      nodes_[a].right = merge(nodes_[a].right, b);
      return join(a);
    }
    nodes_[b].left = merge(a, nodes_[b].left);
    return join(b);
  }

  /// `rest` begins with the first that has one of the kinds.
  void split(Place place, Kinds wanted, Place& before, Place& rest) {
    auto& node = nodes_[place];
    if (nodes_[node.left].below & wanted) {
      rest = place;
      split(node.left, wanted, before, node.left);
    } else if (node.own & wanted) {
      before = node.left;
      node.left = none;
      rest = place;
    } else {
      before = place;
      split(node.right, wanted, node.right, rest);
    }
    join(place);
  }

  Place pop_front(Place& tree) {
    auto& node = nodes_[tree];
    if (node.left == none) {
      const auto front = tree;
      tree = node.right;
      node.right = none;
      return join(front);
    }
    const auto front = pop_front(node.left);
    join(tree);
    return front;
  }

  template <class Left>
  Place without(Place place, Kinds leaving, const Left& left) {
    if (!(nodes_[place].below & leaving)) return place;
    const auto first = without(nodes_[place].left, leaving, left);
    const bool leaves = nodes_[place].own & leaving;
    if (leaves) left(nodes_[place].who);
    const auto second = without(nodes_[place].right, leaving, left);
    if (leaves) {
      nodes_[place].left = free_;
      free_ = place;
      return merge(first, second);
    }
    nodes_[place].left = first;
    nodes_[place].right = second;
    return join(place);
  }

  std::vector<Node> nodes_ = std::vector<Node>(1);
  Place root_ = none, free_ = none;
  std::uint64_t pushed_ = 0;
  std::int64_t visited_ = 0;
};

}  // namespace peerpath::roce
