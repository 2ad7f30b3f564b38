// Entries of `rdma` and `collectives`: who sends what to whom, and what came of it.
#pragma once

#include <optional>
#include <vector>

#include "collective/buffers.hpp"
#include "collective/server_links.hpp"
#include "collective/workload_player.hpp"
#include "peerpath/observe/histogram.hpp"
#include "peerpath/observe/results.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// What one rdma entry has done in the measured window.
struct Tally {
  std::int64_t messages = 0, failed = 0;
  std::int64_t bytes = 0;  ///< of messages that arrive by chance
  observe::Histogram latency;
  observe::Histogram slowdown, small_slowdown;  ///< of those: latency over that alone, in units of 10^-6
};

/// What a queue pair of an rdma entry is there for.
struct EntryUse {
  std::size_t entry = 0;
  int left = 0;  ///< messages still to post; -1: without end
  Bytes size{};  ///< of the only message, which came by chance; and what it takes alone
  Duration alone{};
  std::uint64_t posted = 0;

  /// One of them, if there is one.
  bool take() {
    if (left == 0) return false;
    if (left > 0) --left;
    return true;
  }
};

/// A message that came by chance is over.
void record_slowdown(Tally& tally, const EntryUse& use, Duration latency);

/// Goodput, messages and latencies of each entry, as metrics.
void report_rdma(const network_scenario::NetworkScenario& s, const std::vector<Tally>& tallies, Duration window,
                 observe::Results& results);

/// How long the collective of that number took, if it came to its end, and what a NIC sent meanwhile. `use`: summed
/// over its hosts, where servers have links.
void report_collective(const network_scenario::Loaded& loaded, std::size_t number, std::optional<Duration> took,
                       const collective::ServerLinks::Use& use, observe::Results& results);

/// How long a job took, if all of its ranks came to their end, and what they did meanwhile.
void report_trace(const network_scenario::TraceEntry& entry, const std::vector<collective::RankUse>& uses,
                  observe::Results& results);

/// What was left out of the entry's job; nothing if it was all played.
std::optional<std::string> left_out_of(const network_scenario::Loaded& loaded, std::size_t trace);

/// Of an entry of `traces`.
collective::WorkloadPlayer player_of(const network_scenario::Loaded& loaded, std::size_t trace,
                                     collective::Carrier carrier, collective::WorkloadPlayer::Wake wake);

/// The hosts of each ring of the entry, every rings-th of its hosts, and that once for each channel.
std::vector<std::vector<network::HostIndex>> ranks_of(const network_scenario::Collective& entry,
                                                      const network::Graph& graph);

/// One channel of a ring of the entry, or of the whole of it.
collective::Pattern pattern_of(const network_scenario::NetworkScenario& s, const network_scenario::Collective& entry);
/// What that has to send.
collective::Schedule schedule_of(const network_scenario::NetworkScenario& s, const network_scenario::Collective& entry);
collective::PlayerConfig player_config(const network_scenario::Collective& entry);
collective::ServerConfig server_config(const network_scenario::NetworkScenario& s);

/// Steps of a schedule that stand for all.
struct Sample {
  collective::Schedule schedule{};
  std::uint32_t steps = 0, all = 0;
};

/// The schedule with its slices if all rings of the entry have no more than `most` messages, else whole without slices,
/// else as many of its steps as that allows, but eight: the first of a ring, evenly apart of an AlltoAll.
/// Only of rings and AlltoAll as they are by default.
Sample sample_of(const network_scenario::NetworkScenario& s, const network_scenario::Collective& entry,
                 std::int64_t most);

}  // namespace peerpath::network_run
