// The window sweeps: the six constants that they add, fitted on a few named points, and what comes of the others.
// Each is of one machine.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "validation/pcie_bench/constants.hpp"
#include "validation/pcie_bench/criteria.hpp"
#include "validation/pcie_bench/fit.hpp"
#include "validation/pcie_bench/host_data.hpp"

namespace peerpath::pcie_bench {

/// What is known of the IOMMU of a host that was not measured with it: an IOTLB of 64 entries is what A. Farshin
/// (KTH 2023, 4.1) takes for Intel servers, and 117 and walks of 281 ns are fitted to the one host here.
struct Range {
  double least = 0, most = 0;
};
inline constexpr Range assumed_entries{64, 128}, assumed_walk{150, 450};

/// The constants of one directory, and which of them its own machine tells.
struct HostEffects {
  EffectConstants constants;
  bool own_translation = false;  ///< else the IOMMU's constants are the defaults, which lie in the ranges above
  bool own_hop = false;
};

/// Whether the fit of some directory looks at this point.
bool is_fitted(const HostData& host, const Sweep& sweep);

/// The directory of the same machine without translation and with local memory; it may be `host` itself.
const HostData* base_of(const HostData& host, std::span<const HostData> all);

/// What a line in no cache costs by the machine's own plain directory: `LAT_DMA_RD` of 64 B, cold and warm. Nothing if
/// that was not measured.
std::optional<double> own_cold_miss(const HostData& host, std::span<const HostData> all);

/// The same of each machine that was measured so, but for the one that is `left_out`.
std::vector<double> cold_misses(std::span<const HostData> all, std::string_view left_out = {});

/// `own_cold_miss`; of a machine that does not tell it what suits the others best (least squares of relative errors).
/// Nothing if no machine tells it.
std::optional<double> fit_cold_miss(const HostData& host, std::span<const HostData> all);

/// What each window of `LAT_DMA_RD` that `judge_cold` holds would say if it alone told `cold_miss`.
std::vector<double> cold_misses_of_windows(const HostData& host);

/// The values with which each cold step of LAT_DMA_RD that `judge_cold` holds is within `share` of what was measured;
/// none where `least` is above `most`.
Range fitting_cold_miss(const HostData& host, double share);

/// `cold_miss` and `remote_hop` are differences of two latencies, less the mean wait for refreshes; the former is
/// that of `fit_cold_miss`. `walk_latency` and `iotlb_entries` follow from two added latencies of the host itself, as
/// of P random pages an IOTLB of E entries misses 1 - E / P; `walk_interval` lies between what reads and what writes
/// say (the geometric mean) of a window far beyond the IOTLB, `write_walk_interval` is what writes say. Nothing if no
/// machine tells `cold_miss`.
std::optional<HostEffects> fit_effects(const HostData& host, std::span<const HostData> all);

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

/// Windows of a directory with everything but the sizes of the windows fitted elsewhere.
struct Basis {
  CardConstants card;
  Looks looks = Looks::at_all;
};

/// Predicts the windows of `host` that `wanted` takes; none if its last-level cache is not known. What the other socket
/// and translation add are effects of their own, so all else is as the machine's plain directory says.
SweepReport predict_sweeps(const HostData& host, std::span<const HostData> all, const Basis& basis,
                           const HostEffects& effects, const std::function<bool(const Sweep&)>& wanted);

/// The machine of a directory without what it varies: its name up to the sockets.
std::string_view machine_of(std::string_view name);

/// Windows whose cold steps are held: none that one page or the card's own buffers hold, and what any cache here holds.
bool is_cold_window(Bytes window);

/// Cold windows against warm ones, and windows beyond the devices' ways.
std::vector<Criterion> judge_cold(const SweepReport& report);

/// Curves of bandwidth whose cliff is at another window than measured; `value` is how many of `points` curves.
Criterion judge_cliffs(const SweepReport& report);

/// What the sweeps of a directory are held to; `base` may be the directory itself.
std::vector<Criterion> judge_sweeps(const SweepReport& report, const SweepReport* base);

}  // namespace peerpath::pcie_bench
