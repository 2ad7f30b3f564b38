// Entries of `rdma`: what their queue pairs are there for, and what came of them.
#pragma once

#include <vector>

#include "peerpath/observe/histogram.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/network/network_window.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// What one rdma entry has done in the measured window.
struct Tally {
  std::int64_t messages = 0, failed = 0;
  std::int64_t bytes = 0;  ///< of payload that arrived
  observe::Histogram latency;
  observe::Histogram slowdown, small_slowdown;  ///< of those: latency over that alone, in units of 10^-6

  /// With what another rank knows.
  void merge(const Tally& other);
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

/// Tallies of the measured window, and readings for the search of that window.
class RdmaWindow {
 public:
  /// `mtu`: payload that arrives at one instant; 0: a stream.
  RdmaWindow(const std::vector<network_scenario::Rdma>& entries, int mtu);

  /// Adds the counts since the last call.
  void add(const std::vector<Tally>& since);
  /// The window begins.
  void begin() { window_.assign(window_.size(), {}); }
  /// Payload that has arrived since the start, by entry.
  const std::vector<std::int64_t>& arrived() const { return arrived_; }
  std::vector<Tally>& window() { return window_; }
  platform::Steadiness::Pooled latencies() const;

  std::vector<platform::WatchedEntry> watched() const;
  /// Counts of all ranks. `posted`: RdmaEntries::posted.
  std::vector<platform::Reading::Entry> read(const std::vector<std::int64_t>& posted, Parts* parts) const;

 private:
  const std::vector<network_scenario::Rdma>& entries_;
  int mtu_;
  std::vector<Tally> window_;
  std::vector<std::int64_t> arrived_;  ///< payload since the start
  std::vector<observe::Histogram> latencies_;
};

/// A message that came by chance is over.
void record_slowdown(Tally& tally, const EntryUse& use, Duration latency);

/// Goodput, messages and latencies of each entry, as metrics.
void report_rdma(const network_scenario::NetworkScenario& s, const std::vector<Tally>& tallies, Duration window,
                 observe::Results& results);

}  // namespace peerpath::network_run
