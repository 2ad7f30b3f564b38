#include "fabric/engine/arbiter.hpp"

namespace peerpath::fabric::engine {

Arbiter::Arbiter(std::vector<int> turns, VcArbitration channels) : weights_{std::move(turns)} {
  turns_[0].in_a_row = channels.vc0_turns;
  turns_[1].in_a_row = channels.vc1_turns;
  plain_ = weights_.empty() && channels.vc0_turns == 0 && channels.vc1_turns == 0;
}

int Arbiter::next_of(int channel, std::uint64_t slots) const {
  const Turns& turns = turns_[static_cast<std::size_t>(channel)];
  if (turns.taken > 0 && (slots >> turns.holder & 1) != 0) return turns.holder;
  int next = std::countr_zero(slots);
  for (slots &= slots - 1; slots != 0; slots &= slots - 1) {
    const int slot = std::countr_zero(slots);
    if (turns.last_start[static_cast<std::size_t>(slot)] < turns.last_start[static_cast<std::size_t>(next)])
      next = slot;
  }
  return next;
}

void Arbiter::keep_turns(int channel, int slot, std::int64_t count) {
  Turns& turns = turns_[static_cast<std::size_t>(channel)];
  if (!weights_.empty()) {
    const std::int64_t before = slot == turns.holder ? turns.taken : 0;
    turns.taken = static_cast<int>((before + count) % weights_[static_cast<std::size_t>(slot) / pcie::tlp_classes]);
    turns.holder = slot;
  }
  if (turns.in_a_row == 0) return;
  taken_ = static_cast<int>(((channel == holder_ ? taken_ : 0) + count) % turns.in_a_row);
  holder_ = channel;
  first_ = taken_ > 0 ? channel : 1 - channel;
}

}  // namespace peerpath::fabric::engine
