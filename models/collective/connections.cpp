#include "collective/connections.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::collective {

std::uint32_t Connections::pair(std::uint32_t from, std::uint32_t to) {
  const auto next = static_cast<std::uint32_t>(pairs_.size());
  const auto [found, is_new] = numbers_.try_emplace(std::uint64_t{from} << 32 | to, next);
  if (is_new) {
    require(end_ == 0, "a pair of ranks was added after channels were numbered");
    pairs_.push_back({.from = from, .to = to});
  }
  ++pairs_[found->second].unheard;
  ++pairs_[found->second].missing;
  return found->second;
}

void Connections::reserve() {
  const auto clearances = config_.clears() ? pairs_.size() : 0;
  first_ = carrier_.reserve(pairs_.size() * static_cast<std::size_t>(config_.qps));
  first_clearance_ = carrier_.reserve(clearances);
  end_ = first_clearance_ + static_cast<ChannelIndex>(2 * clearances);
  numbers_ = {};
}

ChannelIndex Connections::data_channel(std::uint32_t pair, std::uint32_t number) const {
  return first_ + 2 * (pair * static_cast<std::uint32_t>(config_.qps) + number);
}

void Connections::post(std::uint32_t number_of_pair, Bytes bytes, std::uint32_t number, Instant now) {
  auto& pair = pairs_[number_of_pair];
  const auto qps = static_cast<std::uint32_t>(config_.qps);
  if (!pair.open)
    for (std::uint32_t q = 0; q < qps; ++q)
      carrier_.open(data_channel(number_of_pair, q), ranks_[pair.from], ranks_[pair.to], false);
  pair.open = true;
  if (config_.use == QpUse::round_robin)
    return carrier_.post(data_channel(number_of_pair, pair.turn++ % qps), bytes, number, now);
  const Bytes each{bytes.count() / static_cast<std::int64_t>(qps)};
  for (std::uint32_t q = 0; q < qps; ++q)
    carrier_.post(data_channel(number_of_pair, q),
                  q + 1 < qps ? each : bytes - each * static_cast<std::int64_t>(qps - 1), number, now);
}

void Connections::heard(std::uint32_t pair) {
  if (--pairs_[pair].unheard == 0) rest(pair, 0);
}
void Connections::got(std::uint32_t pair) {
  if (--pairs_[pair].missing == 0) rest(pair, 1);
}

/// All channels with data of the pair, at one end.
void Connections::rest(std::uint32_t pair, ChannelIndex end) {
  if (!carrier_.rest) return;
  for (std::uint32_t q = 0; q < static_cast<std::uint32_t>(config_.qps); ++q)
    carrier_.rest(data_channel(pair, q) + end);
}

void Connections::clear(std::uint32_t number_of_pair, std::uint32_t number, Instant now) {
  auto& pair = pairs_[number_of_pair];
  const auto channel = first_clearance_ + 2 * number_of_pair;
  if (!pair.clearance_open) carrier_.open(channel, ranks_[pair.to], ranks_[pair.from], true);
  pair.clearance_open = true;
  carrier_.post(channel, Bytes{64}, number, now);
}

}  // namespace peerpath::collective
