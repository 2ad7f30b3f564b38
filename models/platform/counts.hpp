// What the devices of a platform have counted at one instant, and what two such instants make of the results.
#pragma once

#include <map>
#include <string>

#include "core/devices/ats/ats_function.hpp"
#include "core/devices/gpu/bar1.hpp"
#include "core/devices/host_memory/host_memory.hpp"
#include "core/host/iommu.hpp"
#include "core/host/last_level_cache.hpp"
#include "observe/ledger.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"

namespace peerpath::platform {

/// All counters of a platform at one instant.
struct Counts {
  struct Cpu {
    host_cpu::CpuCounters counters;
    std::vector<Duration> busy;  ///< by core
  };
  Instant when{};
  observe::Snapshot links;
  std::map<std::string, nic::NicCounters> nics;
  std::map<std::string, ats::AtsCounters> translations;  ///< by NIC with ATS
  struct Copies {
    gpu::CopyCounters counters;
    Duration busy{};  ///< summed over the engines
  };
  std::map<std::string, Copies> copies;              ///< by GPU
  std::map<std::string, gpu::Bar1Counters> windows;  ///< by GPU
  std::map<std::string, Cpu> cpus;
  /// Of something that writes and reads have each for themselves, since the start.
  struct Taken {
    Duration writes{}, reads{};
  };
  std::map<std::string, std::vector<Taken>> credits;  ///< towards memory, by root complex, of each root port
  std::map<std::string, std::vector<Taken>> peers;    ///< ways to peers, likewise
  struct Iommu {
    host::IommuCounters counters;
    Duration walking{};  ///< summed over the walkers
  };
  std::map<std::string, std::vector<Iommu>> iommus;   ///< by root complex, of each root port
  std::map<std::string, host::CacheCounters> caches;  ///< by host memory
  std::map<std::string, Duration> channels;           ///< busy, summed over the channels of a host memory
  std::map<std::string, Bytes> refused;               ///< of what came to be written, by memory
  std::map<std::string, Duration> peer_reads;         ///< held, summed over the reads that a GPU serves at a time
};

/// Copies them; the fabric has computed exactly until `now`.
Counts take_counts(Platform& platform, Instant now);

/// Fills links, CPUs, memories, resources, faults and the metrics of single devices of `results` with what happened
/// between two instants.
void fill(observe::Results& results, const Platform& platform, const scenario::Scenario& scenario, const Meter& meter,
          const Counts& before, const Counts& after);

}  // namespace peerpath::platform
