// Entries of `collectives` and `traces`: who plays them, packet by packet or as flows, and what came of them.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collective/player.hpp"
#include "collective/server_links.hpp"
#include "collective/workload_player.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/network/collective_schedule.hpp"

namespace peerpath::network_run {

/// What has become of a collective on this rank's hosts. Where servers have links, also the time in which messages were
/// on their way inside servers and between them, summed over hosts.
struct Played {
  bool over = false;
  Instant ended{};
  std::int64_t inside = 0, between = 0;

  /// With what another rank knows.
  void merge(const Played& other);
};

/// Plays each entry over reliable channels between hosts, and over the links of servers.
class CollectiveEntries {
 public:
  using Uses = std::vector<collective::RankUse>;  ///< by rank of a job
  using Wake = std::function<void(Instant when, std::size_t number)>;

  /// `carrier` is between hosts. A collective of more than `most` messages is played in part, as `sample_of` has it.
  CollectiveEntries(const network_scenario::Loaded& loaded, collective::Carrier carrier, Wake wake,
                    std::int64_t most = std::numeric_limits<std::int64_t>::max());

  /// Asks for the beginning of each entry.
  void schedule();
  /// What `wake` was asked for.
  void timed(std::size_t number, Instant now);
  /// A message has arrived at this end of the carrier's channel.
  void arrived(collective::ChannelIndex channel, std::uint32_t number, Instant now);
  /// This end has heard that its message has arrived.
  void heard(collective::ChannelIndex channel, std::uint32_t number, Instant now);

  bool none() const { return players_.empty() && jobs_.empty(); }
  /// Whether all have come to their end on this rank's hosts.
  bool over() const;

  /// By collective.
  std::vector<Played> played() const;
  /// By trace.
  std::vector<Uses> uses() const;
  /// Metrics of all, of what all ranks know.
  void report(const std::vector<Played>& played, const std::vector<Uses>& uses, observe::Results& results) const;
  /// What was left out, and what was played in part.
  std::vector<std::string> remarks(const std::vector<Played>& played) const;

 private:
  enum Alarm : std::size_t { start_collective, start_trace, task_over, over_links };
  static constexpr int alarm_bits = 2;
  void wake(Instant when, Alarm what, std::size_t number) { wake_(when, number << alarm_bits | what); }

  /// A collective, or as much of it as is played: a player for each ring.
  struct Playing {
    std::uint32_t steps = 0, all = 0;  ///< as `Sample` has them
    std::deque<collective::Player> rings{};
  };

  void begin_collective(std::size_t number, Instant now);
  void begin_job(std::size_t number, Instant now);
  void acknowledged(collective::ChannelIndex channel, std::uint32_t number, Instant now);

  const network_scenario::Loaded& loaded_;
  const network_scenario::NetworkScenario& s_;
  collective::Carrier carrier_;
  Wake wake_;
  std::int64_t most_;
  std::vector<Playing> players_;
  std::vector<std::unique_ptr<collective::WorkloadPlayer>> jobs_;
  collective::ServerLinks links_;
};

}  // namespace peerpath::network_run
