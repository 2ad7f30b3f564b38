#include "collective/player.hpp"

#include <algorithm>

namespace peerpath::collective {

Player::Player(roce::Fleet& fleet, Schedule schedule, std::vector<roce::HostIndex> ranks, int qps, QpUse use)
    : fleet_{fleet},
      schedule_{std::move(schedule)},
      ranks_{std::move(ranks)},
      qps_{static_cast<std::size_t>(qps)},
      use_{use},
      waiting_(schedule_.size()),
      parts_(schedule_.size()),
      left_{schedule_.size()} {
  for (std::uint32_t i = 0; i < schedule_.size(); ++i)
    if (schedule_[i].after != Send::at_once) waiting_[schedule_[i].after].push_back(i);
}

void Player::start(Instant now) {
  for (std::uint32_t i = 0; i < schedule_.size(); ++i)
    if (schedule_[i].after == Send::at_once) send(i, now);
}

void Player::send(std::uint32_t number, Instant now) {
  const auto& s = schedule_[number];
  auto& pair = pairs_[{s.from, s.to}];
  while (pair.qps.size() < qps_) pair.qps.push_back(fleet_.connect(ranks_[s.from], ranks_[s.to]));
  if (use_ == QpUse::round_robin) {
    parts_[number] = 1;
    return post(pair.qps[pair.turn++ % qps_], number, s.bytes.count(), now);
  }
  parts_[number] = static_cast<std::uint32_t>(qps_);
  const auto each = s.bytes.count() / static_cast<std::int64_t>(qps_);
  for (std::size_t q = 0; q < qps_; ++q)
    post(pair.qps[q], number, q + 1 < qps_ ? each : s.bytes.count() - each * static_cast<std::int64_t>(qps_ - 1), now);
}

void Player::post(roce::QpIndex qp, std::uint32_t number, std::int64_t bytes, Instant now) {
  on_way_[qp].push(number);
  fleet_.post(qp, {.id = number, .work = roce::Work::write_immediate, .length = static_cast<std::uint32_t>(bytes)},
              now);
}

bool Player::arrived(roce::QpIndex qp, Instant now) {
  const auto found = on_way_.find(qp ^ 1);
  if (found == on_way_.end()) return false;
  const auto number = found->second.front();
  found->second.pop();
  if (--parts_[number] > 0) return true;
  if (--left_ == 0) ended_ = now;
  for (const auto next : waiting_[number]) send(next, now);
  return true;
}

}  // namespace peerpath::collective
