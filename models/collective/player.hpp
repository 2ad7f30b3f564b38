// Plays a schedule over reliable channels between hosts.
#pragma once

#include <vector>

#include "collective/carrier.hpp"
#include "collective/schedule.hpp"
#include "peerpath/base/field.hpp"

namespace peerpath::collective {

/// How the messages of two ranks are laid on the queue pairs between them (NCCL: NCCL_IB_SPLIT_DATA_ON_QPS).
enum class QpUse : std::uint8_t {
  round_robin,  ///< whole messages in turn
  split         ///< each message in equal parts over all
};
constexpr std::array<EnumName<QpUse>, 2> enum_names(QpUse) {
  return {{{"round_robin", QpUse::round_robin}, {"split", QpUse::split}}};
}

/// How messages are laid on queue pairs, and when they may go.
struct PlayerConfig {
  int qps = 1;  ///< of each two ranks
  QpUse use = QpUse::round_robin;
  int admitted = 0;  ///< messages that a receiver has cleared at a time, in the order of the schedule; 0: none waits
                     ///< for that. Clearances are messages of 64 bytes on urgent queue pairs (NCCL's FIFO of receives)
};

/// One collective: its ranks are hosts. Channels are opened as they are first used, under numbers in the order of the
/// schedule; a message's number is its place there. A rank knows only what has arrived at it and what of its own was
/// acknowledged, so ranks may be hosts of several parts of a network.
class Player {
 public:
  Player(Carrier carrier, Schedule schedule, std::vector<HostIndex> ranks, const PlayerConfig& config);

  void start(Instant now);
  /// A message has arrived at this end; false: it is not one of this collective.
  bool arrived(ChannelIndex channel, std::uint32_t number, Instant now);
  /// This end has heard that its message has arrived; false likewise.
  bool acknowledged(ChannelIndex channel, std::uint32_t number, Instant now);
  /// Whether anything waits for the latter.
  bool awaits_acknowledgements() const { return awaits_acknowledgements_; }
  /// Whether all has arrived at the ranks whose hosts are here, and when the last of it did.
  bool over() const { return left_ == 0; }
  Instant ended() const { return ended_; }

 private:
  /// Sends from one rank to another.
  struct Pair {
    std::uint32_t turn = 0;  ///< of queue pairs in round robin
    bool open = false, clearance_open = false;
  };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  void number_pairs();
  void link_waiters();
  bool is_here(std::uint32_t rank) const { return carrier_.owns(ranks_[rank]); }
  std::uint32_t parts() const { return config_.use == QpUse::split ? static_cast<std::uint32_t>(config_.qps) : 1; }
  ChannelIndex data_channel(std::uint32_t pair, std::uint32_t number) const;
  ChannelIndex clearance_channel(std::uint32_t pair) const { return first_clearance_ + 2 * pair; }
  void send(std::uint32_t number, Instant now);
  void clear_next(std::uint32_t rank, Instant now);
  void release(std::uint32_t number, bool at_receiver, Instant now);

  Carrier carrier_;
  Schedule schedule_;
  std::vector<HostIndex> ranks_;
  PlayerConfig config_;
  std::vector<std::uint32_t> first_waiter_, next_waiter_;  ///< by send: those that wait for it, and then for the same
  std::vector<std::uint16_t> unread_, unacknowledged_;     ///< by send: parts of it
  std::vector<std::uint32_t> pair_of_;                     ///< by send
  std::vector<Pair> pairs_;                                ///< in the order of their first sends
  ChannelIndex first_ = 0, first_clearance_ = 0, end_ = 0;
  /// Of a receiver: sends to it in order, and the first that has not been cleared.
  struct Receives {
    std::vector<std::uint32_t> sends{};
    std::size_t next = 0;
  };
  std::vector<Receives> receives_;     ///< by rank, if they clear
  std::vector<std::uint8_t> awaited_;  ///< by send: of it and its clearance
  bool awaits_acknowledgements_ = false;
  std::size_t left_ = 0;
  Instant ended_{};
};

}  // namespace peerpath::collective
