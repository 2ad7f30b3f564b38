#include "collective/player.hpp"

#include <algorithm>
#include <unordered_map>

#include "peerpath/base/fail.hpp"

namespace peerpath::collective {

Player::Player(Carrier carrier, Schedule schedule, std::vector<HostIndex> ranks, const PlayerConfig& config)
    : carrier_{std::move(carrier)},
      schedule_{std::move(schedule)},
      ranks_{std::move(ranks)},
      config_{config},
      unread_(schedule_.size(), static_cast<std::uint16_t>(parts())),
      unacknowledged_(unread_) {
  number_pairs();
  link_waiters();
  for (const auto& s : schedule_) left_ += is_here(s.to) ? 1 : 0;
  if (config_.admitted == 0) return;
  awaited_.assign(schedule_.size(), 2);
  receives_.resize(ranks_.size());
  for (std::uint32_t i = 0; i < schedule_.size(); ++i) receives_[schedule_[i].to].sends.push_back(i);
}

/// Channels have their numbers before anything is sent: whoever plays another part of the network has the same.
void Player::number_pairs() {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  pair_of_.reserve(schedule_.size());
  for (const auto& s : schedule_) {
    const auto next = static_cast<std::uint32_t>(known.size());
    pair_of_.push_back(known.try_emplace(std::uint64_t{s.from} << 32 | s.to, next).first->second);
  }
  pairs_.resize(known.size());
  const auto clearances = config_.admitted > 0 ? pairs_.size() : 0;
  first_ = carrier_.reserve(pairs_.size() * static_cast<std::size_t>(config_.qps));
  first_clearance_ = carrier_.reserve(clearances);
  end_ = first_clearance_ + static_cast<ChannelIndex>(2 * clearances);
}

void Player::link_waiters() {
  first_waiter_.assign(schedule_.size(), nobody);
  next_waiter_.assign(schedule_.size(), nobody);
  for (auto i = static_cast<std::uint32_t>(schedule_.size()); i-- > 0;) {
    const auto after = schedule_[i].after;
    if (after == Send::at_once) continue;
    const auto& cause = schedule_[after];
    require(schedule_[i].from == cause.to || schedule_[i].from == cause.from,
            "a send waits for a message that its rank neither gets nor sends");
    awaits_acknowledgements_ |= schedule_[i].from == cause.from;
    next_waiter_[i] = first_waiter_[after];
    first_waiter_[after] = i;
  }
}

ChannelIndex Player::data_channel(std::uint32_t pair, std::uint32_t number) const {
  return first_ + 2 * (pair * static_cast<std::uint32_t>(config_.qps) + number);
}

void Player::start(Instant now) {
  for (std::uint32_t rank = 0; rank < receives_.size(); ++rank)
    for (int n = 0; n < config_.admitted && is_here(rank); ++n) clear_next(rank, now);
  for (std::uint32_t i = 0; i < schedule_.size(); ++i)
    if (schedule_[i].after == Send::at_once && is_here(schedule_[i].from)) send(i, now);
}

/// The receiver tells the sender of its next receive that it may send.
void Player::clear_next(std::uint32_t rank, Instant now) {
  auto& receives = receives_[rank];
  if (receives.next == receives.sends.size()) return;
  const auto number = receives.sends[receives.next++];
  const auto channel = clearance_channel(pair_of_[number]);
  auto& pair = pairs_[pair_of_[number]];
  if (!pair.clearance_open) carrier_.open(channel, ranks_[rank], ranks_[schedule_[number].from], true);
  pair.clearance_open = true;
  carrier_.post(channel, Bytes{64}, number, now);
}

/// Called once, or once for the send itself and once for its clearance.
void Player::send(std::uint32_t number, Instant now) {
  if (config_.admitted > 0 && --awaited_[number] > 0) return;
  const auto& s = schedule_[number];
  auto& pair = pairs_[pair_of_[number]];
  const auto qps = static_cast<std::uint32_t>(config_.qps);
  if (!pair.open)
    for (std::uint32_t q = 0; q < qps; ++q)
      carrier_.open(data_channel(pair_of_[number], q), ranks_[s.from], ranks_[s.to], false);
  pair.open = true;
  if (config_.use == QpUse::round_robin)
    return carrier_.post(data_channel(pair_of_[number], pair.turn++ % qps), s.bytes, number, now);
  const Bytes each{s.bytes.count() / static_cast<std::int64_t>(qps)};
  for (std::uint32_t q = 0; q < qps; ++q)
    carrier_.post(data_channel(pair_of_[number], q),
                  q + 1 < qps ? each : s.bytes - each * static_cast<std::int64_t>(qps - 1), number, now);
}

bool Player::arrived(ChannelIndex channel, std::uint32_t number, Instant now) {
  if (channel < first_ || channel >= end_) return false;
  if (channel >= first_clearance_) {
    send(number, now);
    return true;
  }
  if (--unread_[number] > 0) return true;
  if (config_.admitted > 0) clear_next(schedule_[number].to, now);
  --left_;
  ended_ = now;
  release(number, true, now);
  return true;
}

bool Player::acknowledged(ChannelIndex channel, std::uint32_t number, Instant now) {
  if (channel < first_ || channel >= end_) return false;
  if (channel < first_clearance_ && --unacknowledged_[number] == 0) release(number, false, now);
  return true;
}

/// A rank that passes on what it got waits for its arrival; one that sends the next of its own, for the
/// acknowledgement.
void Player::release(std::uint32_t number, bool at_receiver, Instant now) {
  const auto rank = at_receiver ? schedule_[number].to : schedule_[number].from;
  for (auto next = first_waiter_[number]; next != nobody; next = next_waiter_[next])
    if (schedule_[next].from == rank) send(next, now);
}

}  // namespace peerpath::collective
