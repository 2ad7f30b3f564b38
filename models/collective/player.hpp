// Plays a schedule over reliable channels between hosts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collective/connections.hpp"
#include "collective/plan.hpp"
#include "collective/slots.hpp"

namespace peerpath::collective {

/// One collective: its ranks are hosts. A message's number is its place in the schedule. A rank knows only what has
/// arrived at it and what of its own was acknowledged, so ranks may be hosts of several parts of a network.
class Player {
 public:
  /// On channels of its own.
  Player(Carrier carrier, Schedule schedule, const std::vector<HostIndex>& ranks, const PlayerConfig& config);
  /// On channels that it shares; numbers of messages begin with `first`. Connections outlive the player.
  Player(Connections& connections, std::shared_ptr<const Plan> plan, std::uint32_t first = 0);

  /// All ranks begin.
  void start(Instant now);
  /// One does.
  void join(std::uint32_t rank, Instant now);
  /// A message has arrived at this end; false: it is not one of this collective's channels.
  bool arrived(ChannelIndex channel, std::uint32_t number, Instant now);
  /// This end has heard that its message has arrived; false likewise.
  bool acknowledged(ChannelIndex channel, std::uint32_t number, Instant now);
  /// A rank whose host is here has begun, got all, and heard that all of its own has arrived.
  std::function<void(std::uint32_t rank, Instant now)> done{};

  /// Whether all has arrived at the ranks whose hosts are here, and when the last of it did.
  bool over() const { return left_ == 0; }
  Instant ended() const { return ended_; }

 private:
  const Send& send_of(std::uint32_t number) const { return plan_->schedule()[number]; }
  bool is_here(std::uint32_t rank) const { return connections_->is_here(plan_->member(rank)); }
  void reset();
  void clear_first(std::uint32_t rank, Instant now);
  void clear_next(std::uint32_t rank, Instant now);
  void ready(std::uint32_t number, Instant now);
  void post(std::uint32_t number, Instant now);
  void copied(std::uint32_t number, Instant now);
  void taken(std::uint32_t number, Instant now);
  void count_down(std::uint32_t rank, Instant now);

  std::unique_ptr<Connections> own_;
  Connections* connections_;
  std::shared_ptr<const Plan> plan_;
  std::uint32_t first_ = 0;
  std::vector<std::uint16_t> unread_, unacknowledged_;  ///< by send: parts of it
  std::vector<std::uint8_t> awaited_;                   ///< by send: its rank's beginning, messages, its clearance
  std::vector<std::uint32_t> unfinished_;               ///< by rank: its beginning, and messages of it and to it
  std::vector<std::uint32_t> cleared_;                  ///< by rank, if they clear: how many of the messages to it
  std::optional<Slots> slots_;
  std::size_t left_ = 0;
  Instant ended_{};
};

}  // namespace peerpath::collective
