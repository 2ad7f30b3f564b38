#include "collective/player.hpp"

#include <algorithm>

namespace peerpath::collective {

Player::Player(Carrier carrier, Schedule schedule, std::vector<HostIndex> ranks, const PlayerConfig& config)
    : carrier_{std::move(carrier)},
      schedule_{std::move(schedule)},
      ranks_{std::move(ranks)},
      config_{config},
      waiting_(schedule_.size()),
      parts_(schedule_.size()),
      left_{schedule_.size()} {
  for (std::uint32_t i = 0; i < schedule_.size(); ++i)
    if (schedule_[i].after != Send::at_once) waiting_[schedule_[i].after].push_back(i);
  if (config_.admitted == 0) return;
  awaited_.assign(schedule_.size(), 2);
  receives_.resize(ranks_.size());
  for (std::uint32_t i = 0; i < schedule_.size(); ++i) receives_[schedule_[i].to].sends.push_back(i);
}

void Player::start(Instant now) {
  for (std::uint32_t rank = 0; rank < receives_.size(); ++rank)
    for (int n = 0; n < config_.admitted; ++n) clear_next(rank, now);
  for (std::uint32_t i = 0; i < schedule_.size(); ++i)
    if (schedule_[i].after == Send::at_once) send(i, now);
}

/// The receiver tells the sender of its next receive that it may send.
void Player::clear_next(std::uint32_t rank, Instant now) {
  auto& receives = receives_[rank];
  if (receives.next == receives.sends.size()) return;
  const auto number = receives.sends[receives.next++];
  const auto from = schedule_[number].from;
  auto [found, fresh] = clearances_.try_emplace({rank, from});
  if (fresh) found->second = carrier_.connect(ranks_[rank], ranks_[from], true);
  clearing_[found->second].push(number);
  carrier_.post(found->second, Bytes{64}, now);
}

/// Whether that was a clearance.
bool Player::cleared(ChannelIndex channel, Instant now) {
  const auto found = clearing_.find(channel ^ 1);
  if (found == clearing_.end()) return false;
  const auto number = found->second.front();
  found->second.pop();
  send(number, now);
  return true;
}

/// Called once, or once for the send itself and once for its clearance.
void Player::send(std::uint32_t number, Instant now) {
  if (config_.admitted > 0 && --awaited_[number] > 0) return;
  const auto& s = schedule_[number];
  auto& pair = pairs_[{s.from, s.to}];
  const auto qps = static_cast<std::size_t>(config_.qps);
  while (pair.qps.size() < qps) pair.qps.push_back(carrier_.connect(ranks_[s.from], ranks_[s.to], false));
  if (config_.use == QpUse::round_robin) {
    parts_[number] = 1;
    return post(pair.qps[pair.turn++ % qps], number, s.bytes.count(), now);
  }
  parts_[number] = static_cast<std::uint32_t>(qps);
  const auto each = s.bytes.count() / static_cast<std::int64_t>(qps);
  for (std::size_t q = 0; q < qps; ++q)
    post(pair.qps[q], number, q + 1 < qps ? each : s.bytes.count() - each * static_cast<std::int64_t>(qps - 1), now);
}

void Player::post(ChannelIndex channel, std::uint32_t number, std::int64_t bytes, Instant now) {
  on_way_[channel].push(number);
  carrier_.post(channel, Bytes{bytes}, now);
}

bool Player::arrived(ChannelIndex channel, Instant now) {
  const auto found = on_way_.find(channel ^ 1);
  if (found == on_way_.end()) return cleared(channel, now);
  const auto number = found->second.front();
  found->second.pop();
  if (--parts_[number] > 0) return true;
  if (config_.admitted > 0) clear_next(schedule_[number].to, now);
  if (--left_ == 0) ended_ = now;
  for (const auto next : waiting_[number]) send(next, now);
  return true;
}

}  // namespace peerpath::collective
