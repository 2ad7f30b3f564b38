// Plays a schedule over reliable channels between hosts.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "collective/carrier.hpp"
#include "collective/schedule.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/ring.hpp"

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

/// One collective: its ranks are hosts. Channels are made as they are first used.
class Player {
 public:
  Player(Carrier carrier, Schedule schedule, std::vector<HostIndex> ranks, const PlayerConfig& config);

  void start(Instant now);
  /// A message has arrived at this end; false: it is not one of this collective.
  bool arrived(ChannelIndex channel, Instant now);
  bool over() const { return left_ == 0; }
  Instant ended() const { return ended_; }

 private:
  struct Pair {
    std::vector<ChannelIndex> qps;
    std::size_t turn = 0;
  };

  void send(std::uint32_t number, Instant now);
  void clear_next(std::uint32_t rank, Instant now);
  bool cleared(ChannelIndex channel, Instant now);
  void post(ChannelIndex channel, std::uint32_t number, std::int64_t bytes, Instant now);

  Carrier carrier_;
  Schedule schedule_;
  std::vector<HostIndex> ranks_;
  PlayerConfig config_;
  std::vector<std::vector<std::uint32_t>> waiting_;  ///< by send: those that wait for it
  std::vector<std::uint32_t> parts_;                 ///< by send: messages still on their way
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs_;
  std::map<ChannelIndex, Ring<std::uint32_t>> on_way_;  ///< by sending end: sends in order
  /// Of a receiver: sends to it in order, and the first that has not been cleared.
  struct Receives {
    std::vector<std::uint32_t> sends{};
    std::size_t next = 0;
  };
  std::vector<Receives> receives_;                                              ///< by rank, if they clear
  std::vector<std::uint8_t> awaited_;                                           ///< by send: of it and its clearance
  std::map<std::pair<std::uint32_t, std::uint32_t>, ChannelIndex> clearances_;  ///< by receiver and sender
  std::map<ChannelIndex, Ring<std::uint32_t>> clearing_;                        ///< by sending end
  std::size_t left_ = 0;
  Instant ended_{};
};

}  // namespace peerpath::collective
