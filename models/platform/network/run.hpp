// A network scenario, run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collective/workload_player.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/network/capture.hpp"
#include "platform/network/node.hpp"
#include "platform/network/ranks.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// A direction of a cable in the window; bytes of frames without FCS. `offered`: came to leave by it. `backlog`: waits
/// for it or is on its way.
struct CableAccount {
  BitRate rate{};
  std::int64_t packets = 0;  ///< sent
  std::int64_t offered = 0, sent = 0, arrived = 0, dropped = 0, backlog_before = 0, backlog_after = 0;
};

/// How busy a direction of a cable was, and how long the other end held it.
struct CableUse {
  std::string name;
  observe::Decimal busy_percent{}, paused_percent{};
  std::int64_t peak = 0, dropped = 0, marked = 0;
  std::optional<CableAccount> account{};  ///< nothing: the level of flows has no packets
};

/// Payload of an entry of `rdma` or `tcp` in the window, in bytes. `missing`: offered and not arrived; it waits, is on
/// its way, or is lost for good.
struct EntryAccount {
  std::int64_t offered = 0, arrived = 0, missing_before = 0, missing_after = 0;
};

struct Outcome {
  observe::Results results;                            ///< metrics, the deadlock, and verdicts on what was expected
  std::vector<CableUse> cables;                        ///< busiest first
  std::vector<EntryAccount> entries;                   ///< of `rdma`, or of `tcp`
  std::vector<NodeFit> nodes;                          ///< of each entry of `nodes`
  std::vector<std::vector<collective::RankUse>> jobs;  ///< of each entry of `traces`: by rank
  std::vector<std::string> said;                       ///< sentences: what limits the run, and why
  std::vector<std::string> limits_said{};              ///< of these, those of Results::limits, which come first
  std::optional<std::int64_t> captured{};              ///< frames; nothing if none was to be, or the file is not whole
};

struct Options {
  std::function<void(Duration simulated, Duration most)> progress{};
  std::function<bool()> stop{};             ///< asked now and then; true ends the run before its time
  std::optional<CaptureRequest> capture{};  ///< of one process alone
  Ranks* ranks = nullptr;                   ///< that run it together; the outcome is rank 0's
};

/// First the hosts of `nodes`, each kind at the level of TLPs, then the network. Problems are those of building a host.
tl::expected<Outcome, Problems> run(const network_scenario::Loaded& loaded, const Options& options = {});

}  // namespace peerpath::network_run
