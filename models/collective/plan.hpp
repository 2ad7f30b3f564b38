// A schedule laid on the channels between its ranks.
#pragma once

#include "collective/connections.hpp"
#include "collective/schedule.hpp"

namespace peerpath::collective {

/// What all players of one schedule over the same ranks have alike: who waits for what, and over which pair.
class Plan {
 public:
  /// `members`: by rank of the schedule, the rank of the connections.
  Plan(Schedule schedule, std::vector<std::uint32_t> members, Connections& connections);

  const Schedule& schedule() const { return schedule_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(schedule_.size()); }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(members_.size()); }
  std::uint32_t member(std::uint32_t rank) const { return members_[rank]; }
  /// Whether it is no message: its rank waits, and nothing goes.
  bool is_join(std::uint32_t send) const { return schedule_[send].from == schedule_[send].to; }
  std::uint32_t pair_of(std::uint32_t send) const { return pair_of_[send]; }
  const std::vector<std::uint32_t>& sends_of(std::uint32_t rank) const { return sends_[rank]; }
  const std::vector<std::uint32_t>& receives_of(std::uint32_t rank) const { return receives_[rank]; }
  /// How many messages a send waits for.
  std::uint8_t causes(std::uint32_t send) const {
    const auto& s = schedule_[send];
    return static_cast<std::uint8_t>((s.after == Send::at_once ? 0 : 1) + (s.also == Send::at_once ? 0 : 1));
  }
  /// Calls with each send of a rank that waits for that one.
  template <class Use>
  void for_waiters(std::uint32_t send, std::uint32_t rank, const Use& use) const {
    for (auto next = first_waiter_[send]; next != nobody; next = next_waiter_[next])
      if (schedule_[next / 2].from == rank) use(next / 2);
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  void wait(std::uint32_t send, std::uint32_t cause, std::uint32_t which);

  Schedule schedule_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> pair_of_;
  std::vector<std::vector<std::uint32_t>> sends_, receives_;  ///< by rank, in order
  /// By send: the first that waits for it, as twice its number, and 1 more if by `also`; by such numbers: the next one.
  std::vector<std::uint32_t> first_waiter_, next_waiter_;
};

}  // namespace peerpath::collective
