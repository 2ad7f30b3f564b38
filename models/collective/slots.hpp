// Buffers of a few slots between the two ends of each pair of ranks.
#pragma once

#include "collective/plan.hpp"

namespace peerpath::collective {

/// Messages of a pair go through its slots in the order of the schedule. Counts what each waits for besides its causes.
class Slots {
 public:
  /// `copies_on`: as `PlayerConfig` has it.
  Slots(const Plan& plan, std::uint32_t slots, bool copies_on);

  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  /// The next message of the pair, which is copied after this one, and the one that gets this one's slots.
  std::uint32_t next(std::uint32_t send) const { return next_[send]; }
  std::uint32_t heir(std::uint32_t send) const { return heir_[send]; }
  /// What a message waits for before it is copied into its sender's slots: the one before, and one that leaves them.
  std::uint8_t causes(std::uint32_t send) const { return causes_[send]; }
  /// Messages that a receiver clears at once.
  const std::vector<std::uint32_t>& first_of(std::uint32_t rank) const { return first_[rank]; }

  /// It is copied, or its slots at the receiver are cleared; true: it goes.
  bool may_go(std::uint32_t send) { return --unsent_[send] == 0; }
  /// Something that waits for it at its receiver is copied, or it has come and nothing does; true: its slots there are
  /// free.
  bool is_taken(std::uint32_t send) { return --untaken_[send] == 0; }
  bool is_passed_on(std::uint32_t send) const { return passed_on_[send]; }

 private:
  std::vector<std::uint32_t> next_, heir_;
  std::vector<std::uint8_t> causes_, unsent_;
  std::vector<std::uint32_t> untaken_;
  std::vector<bool> passed_on_;
  std::vector<std::vector<std::uint32_t>> first_;
};

}  // namespace peerpath::collective
