#include "collective/slots.hpp"

#include <algorithm>
#include <map>

namespace peerpath::collective {

Slots::Slots(const Plan& plan, std::uint32_t slots, bool copies_on)
    : next_(plan.size(), nobody),
      heir_(plan.size(), nobody),
      causes_(plan.size()),
      unsent_(plan.size(), 2),
      untaken_(plan.size()),
      passed_on_(plan.size()),
      first_(plan.ranks()) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_pair;
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    if (plan.is_join(i)) continue;
    const auto to = plan.schedule()[i].to;
    if (copies_on) plan.for_waiters(i, to, [&](std::uint32_t) { ++untaken_[i]; });
    passed_on_[i] = untaken_[i] > 0;
    untaken_[i] = std::max(untaken_[i], 1u);
    auto& pair = of_pair[plan.pair_of(i)];
    const auto place = pair.size();
    if (place > 0) next_[pair.back()] = i;
    if (place < slots)
      first_[to].push_back(i);
    else
      heir_[pair[place - slots]] = i;
    causes_[i] = static_cast<std::uint8_t>((place > 0 ? 1 : 0) + (place >= slots ? 1 : 0));
    pair.push_back(i);
  }
}

}  // namespace peerpath::collective
