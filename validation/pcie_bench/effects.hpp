// The window sweeps: the five constants that they add, fitted on a few named points, and what comes of the others.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "validation/pcie_bench/constants.hpp"
#include "validation/pcie_bench/criteria.hpp"
#include "validation/pcie_bench/host_data.hpp"

namespace peerpath::pcie_bench {

/// The directories of one machine: off and local, and what differs from that in one thing.
struct Variants {
  const HostData* base = nullptr;
  const HostData* iommu = nullptr;     ///< with translation in pages of 4 KiB
  const HostData* remote = nullptr;    ///< with the buffer at the other socket
  std::vector<const HostData*> plain;  ///< `base`, and what every other machine has like it
};

/// The first machine that was measured in all three ways.
std::optional<Variants> find_variants(std::span<const HostData> hosts);

/// Whether the fit looks at this point.
bool is_fitted(const Variants& variants, const HostData& host, const Sweep& sweep);

/// `cold_miss` and `remote_hop` are differences of two latencies, less the mean wait for refreshes; the former is
/// what suits all machines best (least squares of relative errors). `walk_latency` and `iotlb_entries` follow from two
/// added latencies, as of P random pages an IOTLB of E entries misses 1 - E / P; `walk_interval` lies between what
/// reads and what writes say (the geometric mean) of a window far beyond the IOTLB. Nothing if a point is missing.
std::optional<EffectConstants> fit_effects(const Variants& variants);

struct SweepPrediction {
  SweepPoint point;
  double predicted = 0;
  bool fitted = false;
  double error() const { return predicted / point.measured - 1; }
};

/// A directory as it is, and (if there is one) that of the same machine without translation and with local memory.
struct SweepReport {
  const HostData* host = nullptr;
  std::vector<SweepPrediction> predictions;
  const SweepPrediction* find(const Sweep& sweep) const;
};

/// The machine of a directory without what it varies: its name up to the sockets.
std::string_view machine_of(std::string_view name);

/// What the sweeps of a directory are held to; `base` may be the directory itself.
std::vector<Criterion> judge_sweeps(const SweepReport& report, const SweepReport* base);

}  // namespace peerpath::pcie_bench
