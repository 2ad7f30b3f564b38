#include "collective/plan.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::collective {

Plan::Plan(Schedule schedule, std::vector<std::uint32_t> members, Connections& connections)
    : schedule_{std::move(schedule)},
      members_{std::move(members)},
      sends_(members_.size()),
      receives_(members_.size()),
      first_waiter_(schedule_.size(), nobody),
      next_waiter_(2 * schedule_.size(), nobody) {
  pair_of_.reserve(schedule_.size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    const auto& s = schedule_[i];
    sends_[s.from].push_back(i);
    pair_of_.push_back(is_join(i) ? nobody : connections.pair(members_[s.from], members_[s.to]));
    if (is_join(i)) continue;
    receives_[s.to].push_back(i);
  }
  for (auto i = size(); i-- > 0;) {
    wait(i, schedule_[i].after, 0);
    wait(i, schedule_[i].also, 1);
  }
}

void Plan::wait(std::uint32_t send, std::uint32_t cause, std::uint32_t which) {
  if (cause == Send::at_once) return;
  require(schedule_[send].from == schedule_[cause].to || schedule_[send].from == schedule_[cause].from,
          "a send waits for a message that its rank neither receives nor sends");
  next_waiter_[2 * send + which] = first_waiter_[cause];
  first_waiter_[cause] = 2 * send + which;
}

}  // namespace peerpath::collective
