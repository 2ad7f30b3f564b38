// Whose turn it is among the queues that send by one transmitter.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/vocabulary/wiring.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::fabric::engine {

/// Slots, a bit each, by the virtual channel of their first TLP.
using SlotsByChannel = std::array<std::uint64_t, 2>;

/// Turns of one transmitter. A turn is one TLP. Within a virtual channel it goes to the slot that started longest ago
/// (never-started slots first, ties by slot number), so no slot that can start waits for more than one TLP of each
/// other slot. A slot of a weighted ingress keeps its turn for as many TLPs in a row as its ingress has turns. Between
/// two virtual channels VC 1 goes first, or each has its turns in a row (PCIe Base Spec 6.3.3.1).
///
/// The caller tells every start in order of time; `pick` says who is next among those that can start at one instant.
class Arbiter {
 public:
  struct Winner {
    int channel = 0, slot = 0;
  };

  Arbiter() = default;
  /// `turns` by ingress, or none if each ingress has one.
  Arbiter(std::vector<int> turns, VcArbitration channels);

  /// One of `slots`, which are not all empty.
  Winner pick(const SlotsByChannel& slots) const {
    const int first = slots[static_cast<std::size_t>(first_)] != 0 ? first_ : 1 - first_;
    return {first, next_of(first, slots[static_cast<std::size_t>(first)])};
  }

  /// `count` TLPs of a slot have started one after the other.
  void started(int channel, int slot, std::int64_t count) {
    Turns& turns = turns_[static_cast<std::size_t>(channel)];
    turns.last_start[static_cast<std::size_t>(slot)] = ++starts_;
    if (plain_) [[likely]]
      return;
    keep_turns(channel, slot, count);
  }

 private:
  struct Turns {
    std::array<std::uint64_t, max_ingresses * pcie::tlp_classes> last_start{};  ///< number of the last start; 0: none
    int holder = 0, taken = 0;  ///< slot that started last, and turns that it has had
    int in_a_row = 0;           ///< of the channel; 0: strict priority
  };

  int next_of(int channel, std::uint64_t slots) const;
  void keep_turns(int channel, int slot, std::int64_t count);

  std::array<Turns, 2> turns_{};
  std::vector<int> weights_;  ///< by ingress
  std::uint64_t starts_ = 0;
  bool plain_ = true;  ///< no ingress has weights, nor has a channel turns
  int first_ = 1;      ///< the virtual channel whose turn it is
  int holder_ = 0, taken_ = 0;
};

}  // namespace peerpath::fabric::engine
