// Which resources of a run a traffic entry uses, and how much of them is in use for its kind of access.
#pragma once

#include <optional>
#include <string>

#include "observe/entry_path.hpp"

namespace peerpath::observe {

/// Whether an entry with this path uses Results::resources of this name: it belongs to a device on its way, and is for
/// what the entry does (reads, writes, copies, sending).
bool uses(const scenario::Scenario& scenario, const TrafficResult& traffic, const EntryPath& path,
          const std::string& resource);

/// The busiest of the cores that handle the entry's packets; none if none does.
std::optional<Duration> busiest_core(const CpuResult& cpu, const TrafficResult& traffic);

/// Use of a memory by reads or by writes, whichever the entry does there, in percent of the rate.
Decimal memory_use(const MemoryResult& memory, const TrafficResult& traffic, const EntryPath& path,
                   const Results& results);

/// The option that sets the size of a pool of transfers in flight: "outstanding", "queue_depth".
std::string pool_key(const std::string& pool);

}  // namespace peerpath::observe
