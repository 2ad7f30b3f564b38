// Plays what the ranks of a job do over reliable channels between hosts.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "collective/player.hpp"
#include "collective/workload.hpp"

namespace peerpath::collective {

/// What one rank did, until it had done all.
struct RankUse {
  Duration computing{};      ///< its GPU, its CPU or both were busy
  Duration communicating{};  ///< an exchange was under way: it had begun its part, and that was not over
  Duration hidden{};         ///< both
  Instant ended{};
  bool over = false;

  /// Adds what another part of the network saw of it: one of the two saw nothing.
  void merge(const RankUse& other) {
    computing += other.computing;
    communicating += other.communicating;
    hidden += other.hidden;
    ended = std::max(ended, other.ended);
    over |= other.over;
  }
};

/// A rank begins its part of an exchange when the task is ready; it is over when the rank has got all, and has heard
/// that all of its own has arrived. Of tasks that wait for a GPU or a CPU the first goes first. A rank knows only what
/// happens at its host, so ranks may be hosts of several parts of a network.
class WorkloadPlayer {
 public:
  /// Calls `timed` with the number at that time. The workload outlives the player.
  using Wake = std::function<void(Instant when, std::uint32_t number)>;

  WorkloadPlayer(Carrier carrier, const Workload& workload, std::vector<HostIndex> hosts, const PlayerConfig& player,
                 const WorkloadConfig& config, Wake wake);

  void start(Instant now);
  void timed(std::uint32_t number, Instant now);
  /// As those of Player; false: it is not one of the job's channels.
  bool arrived(ChannelIndex channel, std::uint32_t number, Instant now);
  bool acknowledged(ChannelIndex channel, std::uint32_t number, Instant now);

  /// Whether the ranks whose hosts are here have done all.
  bool over() const { return left_ == 0; }
  const std::vector<RankUse>& uses() const { return uses_; }

 private:
  static constexpr int units = 2;  ///< GPU and CPU
  struct Unit {
    std::set<std::uint32_t> waiting{};
    std::optional<std::uint32_t> running{};
  };
  struct Rank {
    std::vector<std::uint32_t> awaited{};            ///< by task: those that it waits for
    std::vector<std::vector<std::uint32_t>> next{};  ///< by task: those that wait for it
    std::array<Unit, units> unit{};
    int computing = 0, communicating = 0;
    std::size_t left = 0;
    Instant since{};
  };
  struct Over {
    std::uint32_t rank = 0, task = 0;
  };

  void lay_plans();
  void prepare(std::uint32_t rank);
  Player& player_of(std::uint32_t operation);
  std::uint32_t operation_of(std::uint32_t number) const;
  void begin(std::uint32_t rank, std::uint32_t task, Instant now);
  void run_next(std::uint32_t rank, std::size_t unit, Instant now);
  void account(std::uint32_t rank, Instant now);
  void settle(Instant now);
  void finish(Over over, Instant now);

  const Workload& workload_;
  WorkloadConfig config_;
  Connections connections_;
  Wake wake_;
  std::vector<std::shared_ptr<const Plan>> plans_;  ///< by operation
  std::vector<std::uint32_t> first_;                ///< by operation: the number of its first message
  std::vector<std::unique_ptr<Player>> players_;    ///< by operation, while it is under way here
  std::vector<std::uint32_t> members_left_;         ///< by operation: members here whose part is not over
  std::vector<Rank> ranks_;
  std::vector<RankUse> uses_;
  std::vector<Over> over_;  ///< tasks that are, and of which nobody knows yet
  std::size_t left_ = 0;
};

}  // namespace peerpath::collective
