// What devices report to at the end of a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "devices/host_memory/host_memory.hpp"
#include "observe/ledger.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::host {
class RefusedWrites;
}  // namespace peerpath::host

namespace peerpath::platform {

class Meter;

/// Results under way, and what devices work theirs out from: the measured window and the links at its two ends.
struct Report {
  observe::Results& results;
  const scenario::Scenario& scenario;
  const fabric::Topology& topology;
  const Meter& meter;
  const observe::Snapshot &links_before, &links_after;
  Duration window;
  Instant end;
  std::map<fabric::NodeId, host_memory::Load> by_cores{};  ///< what cores moved in their socket's memory

  /// Transfers that a device has in flight for all its entries together.
  struct Slots {
    std::string device, what;  ///< "ssd0", "queue depth"
    Duration held{};           ///< time in flight, summed over the transfers
    std::int64_t slots = 0;
  };
  std::vector<Slots> slots{};

  void add(const std::string& name, const std::string& unit, std::int64_t value, const std::string& doc);
};

/// Data that went into and came out of the memory of a device by PCIe.
struct MemoryLoad {
  host_memory::Load all, own;  ///< `own`: of all, by the device itself
};
/// `refused` is what came to be written and was not.
MemoryLoad memory_load(const Report& report, fabric::NodeId node, Bytes refused);

/// Data that a counter has refused so far; none if nobody counts.
Bytes refused_by(const host::RefusedWrites* counter);

}  // namespace peerpath::platform
