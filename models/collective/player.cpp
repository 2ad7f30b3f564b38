#include "collective/player.hpp"

#include <numeric>

namespace peerpath::collective {

Player::Player(Carrier carrier, Schedule schedule, const std::vector<HostIndex>& ranks, const PlayerConfig& config)
    : own_{std::make_unique<Connections>(std::move(carrier), ranks, config)}, connections_{own_.get()} {
  std::vector<std::uint32_t> all(ranks.size());
  std::iota(all.begin(), all.end(), 0u);
  plan_ = std::make_shared<Plan>(std::move(schedule), std::move(all), *own_);
  own_->reserve();
  reset();
}

Player::Player(Connections& connections, std::shared_ptr<const Plan> plan, std::uint32_t first)
    : connections_{&connections}, plan_{std::move(plan)}, first_{first} {
  reset();
}

void Player::reset() {
  const auto& config = connections_->config();
  const bool clears = config.admitted > 0;
  if (config.slots > 0) slots_.emplace(*plan_, static_cast<std::uint32_t>(config.slots), config.copies_on);
  unread_.assign(plan_->size(), connections_->parts());
  unacknowledged_ = unread_;
  for (std::uint32_t i = 0; i < plan_->size(); ++i)
    awaited_.push_back(static_cast<std::uint8_t>(1 + plan_->causes(i) + (clears && !plan_->is_join(i) ? 1 : 0) +
                                                 (slots_ ? slots_->causes(i) : 0)));
  for (std::uint32_t r = 0; r < plan_->ranks(); ++r) {
    const auto in = plan_->receives_of(r).size();
    unfinished_.push_back(static_cast<std::uint32_t>(1 + plan_->sends_of(r).size() + in));
    left_ += is_here(r) ? in : 0;
  }
  if (clears) cleared_.assign(plan_->ranks(), 0);
}

void Player::start(Instant now) {
  ended_ = now;  // if nothing is to arrive
  for (std::uint32_t r = 0; r < plan_->ranks(); ++r)
    if (is_here(r)) clear_first(r, now);
  for (std::uint32_t i = 0; i < plan_->size(); ++i)
    if (is_here(send_of(i).from)) ready(i, now);
  for (std::uint32_t r = 0; r < plan_->ranks(); ++r)
    if (is_here(r)) count_down(r, now);
}

void Player::join(std::uint32_t rank, Instant now) {
  clear_first(rank, now);
  for (const auto send : plan_->sends_of(rank)) ready(send, now);
  count_down(rank, now);
}

void Player::clear_first(std::uint32_t rank, Instant now) {
  if (slots_)
    for (const auto send : slots_->first_of(rank)) connections_->clear(plan_->pair_of(send), first_ + send, now);
  for (int n = 0; n < connections_->config().admitted; ++n) clear_next(rank, now);
}

/// The receiver tells the sender of its next receive that it may send.
void Player::clear_next(std::uint32_t rank, Instant now) {
  const auto& receives = plan_->receives_of(rank);
  if (cleared_[rank] == receives.size()) return;
  const auto number = receives[cleared_[rank]++];
  connections_->clear(plan_->pair_of(number), first_ + number, now);
}

/// One of what the send waits for has come.
void Player::ready(std::uint32_t number, Instant now) {
  if (--awaited_[number] > 0) return;
  if (slots_) copied(number, now);
  if (!plan_->is_join(number)) {
    if (!slots_ || slots_->may_go(number)) post(number, now);
    return;
  }
  const auto rank = send_of(number).from;
  plan_->for_waiters(number, rank, [&](std::uint32_t next) { ready(next, now); });
  count_down(rank, now);
}

void Player::post(std::uint32_t number, Instant now) {
  connections_->post(plan_->pair_of(number), send_of(number).bytes, first_ + number, now);
}

/// The message is in its sender's slots: the next of the pair may follow, and what it was made of has left those where
/// it came in.
void Player::copied(std::uint32_t number, Instant now) {
  const auto& send = send_of(number);
  for (const auto cause : {send.after, send.also})
    if (cause != Send::at_once && send_of(cause).to == send.from && slots_->is_passed_on(cause)) taken(cause, now);
  if (const auto next = slots_->next(number); next != Slots::nobody) ready(next, now);
}

/// The receiver needs the message in its slots no longer, or for one thing less.
void Player::taken(std::uint32_t number, Instant now) {
  if (!slots_->is_taken(number)) return;
  if (const auto heir = slots_->heir(number); heir != Slots::nobody)
    connections_->clear(plan_->pair_of(heir), first_ + heir, now);
}

bool Player::arrived(ChannelIndex channel, std::uint32_t message, Instant now) {
  const auto use = connections_->use_of(channel);
  if (use == Connections::Use::none) return false;
  const auto number = message - first_;
  if (use == Connections::Use::clearance) {
    if (!slots_)
      ready(number, now);
    else if (slots_->may_go(number))
      post(number, now);
    return true;
  }
  if (--unread_[number] > 0) return true;
  const auto rank = send_of(number).to;
  if (!cleared_.empty()) clear_next(rank, now);
  --left_;
  ended_ = now;
  if (own_) own_->got(plan_->pair_of(number));
  // A rank that passes on what it got waits for its arrival.
  plan_->for_waiters(number, rank, [&](std::uint32_t next) { ready(next, now); });
  if (slots_ && !slots_->is_passed_on(number)) taken(number, now);
  count_down(rank, now);
  return true;
}

bool Player::acknowledged(ChannelIndex channel, std::uint32_t message, Instant now) {
  const auto use = connections_->use_of(channel);
  if (use == Connections::Use::none) return false;
  const auto number = message - first_;
  if (use == Connections::Use::clearance || --unacknowledged_[number] > 0) return true;
  const auto rank = send_of(number).from;
  if (own_) own_->heard(plan_->pair_of(number));
  if (const auto heir = slots_ ? slots_->heir(number) : Slots::nobody; heir != Slots::nobody) ready(heir, now);
  // One that sends the next of its own waits for the acknowledgement.
  plan_->for_waiters(number, rank, [&](std::uint32_t next) { ready(next, now); });
  count_down(rank, now);
  return true;
}

void Player::count_down(std::uint32_t rank, Instant now) {
  if (--unfinished_[rank] == 0 && done) done(rank, now);
}

}  // namespace peerpath::collective
