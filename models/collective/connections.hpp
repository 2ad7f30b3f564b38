// Reliable channels between the ranks of collectives.
#pragma once

#include <unordered_map>
#include <vector>

#include "collective/carrier.hpp"
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
  int slots = 0;     ///< messages that the buffers of two ranks hold, on either side; each is cleared. 0: no limit
  bool copies_on = true;  ///< what is passed on keeps its slots until it is copied; else all leave them as they arrive

  bool clears() const { return admitted > 0 || slots > 0; }
};

/// The channels of ranks that are hosts. Pairs of ranks have numbers in the order in which they are first named, and
/// channels have theirs before anything is sent: whoever plays another part of the network has the same. They are
/// opened as they are first used.
class Connections {
 public:
  Connections(Carrier carrier, std::vector<HostIndex> ranks, const PlayerConfig& config)
      : carrier_{std::move(carrier)}, ranks_{std::move(ranks)}, config_{config} {}

  /// The number of the pair, which has one message more. Before `reserve`, if it is a new one.
  std::uint32_t pair(std::uint32_t from, std::uint32_t to);
  /// All pairs are named.
  void reserve();

  const PlayerConfig& config() const { return config_; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_.size()); }
  bool is_here(std::uint32_t rank) const { return carrier_.owns(ranks_[rank]); }
  /// Messages on channels that make one of the schedule.
  std::uint16_t parts() const { return static_cast<std::uint16_t>(config_.use == QpUse::split ? config_.qps : 1); }

  enum class Use : std::uint8_t { none, data, clearance };
  /// What a channel is there for; `none`: it is not one of these.
  Use use_of(ChannelIndex channel) const {
    if (channel < first_ || channel >= end_) return Use::none;
    return channel < first_clearance_ ? Use::data : Use::clearance;
  }

  void post(std::uint32_t pair, Bytes bytes, std::uint32_t number, Instant now);
  /// Where every message is played once: the sender of one has heard of it, or its receiver has got it. When it is the
  /// last of its pair that end may rest.
  void heard(std::uint32_t pair);
  void got(std::uint32_t pair);
  /// The receiver of a pair tells its sender that a message may come.
  void clear(std::uint32_t pair, std::uint32_t number, Instant now);

 private:
  struct Pair {
    std::uint32_t from = 0, to = 0;
    std::uint32_t turn = 0;                  ///< of queue pairs in round robin
    std::uint32_t unheard = 0, missing = 0;  ///< messages
    bool open = false, clearance_open = false;
  };

  void rest(std::uint32_t pair, ChannelIndex end);
  ChannelIndex data_channel(std::uint32_t pair, std::uint32_t number) const;

  Carrier carrier_;
  std::vector<HostIndex> ranks_;
  PlayerConfig config_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<Pair> pairs_;
  ChannelIndex first_ = 0, first_clearance_ = 0, end_ = 0;
};

}  // namespace peerpath::collective
