// Fits the constants on two sizes of each curve; all other points are predictions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "validation/pcie_bench/constants.hpp"
#include "validation/pcie_bench/host_data.hpp"

namespace peerpath::pcie_bench {

/// The points that a fit wants to look at: two sizes of each of five curves; the command interface has its own.
std::span<const Case> wanted_fit_cases();

/// Whether the card's fit looks at this point of that host.
bool is_fitted_by_card(const HostData& host, const Sweep& sweep);

/// And the one point of a window curve that the card's fit looks at besides.
const Sweep& wanted_fit_window();

/// The points that tell `command_path`, which no other fit looks at.
std::span<const Case> command_fit_cases();

/// Those that it looks at: of each wanted one the size there is that is nearest by ratio; no more than two of a curve.
std::vector<Case> fit_cases(const HostData& host);

/// How much the relative error of a fit point counts.
double weight(Test test);

/// What of a host its own constants are fitted to.
enum class Looks : std::uint8_t {
  at_all,        ///< two sizes of each of four curves
  at_two_sizes,  ///< LAT_DMA_RD 64 B and BW_DMA_RD 768 B, and nothing else
};

/// The host's two constants with the card's held: weighted relative squares over the fit points of this host. The
/// completion step is tried at each power of two, the latency fitted by NLopt (Nelder and Mead).
HostConstants fit_host(const HostData& host, const CardConstants& card, Looks looks = Looks::at_all);

/// When a fit of the card stops at the latest.
struct FitEffort {
  int rounds = 8;
  int evaluations = 250;  ///< of the sum of squares, a round
};

/// The card's seven constants over several hosts, from the defaults of `CardConstants`; in rounds: those of the hosts,
/// the gap by trying every byte, five times by NLopt (Nelder and Mead); then `turnaround` and `command_path`, each of
/// which one pair of curves alone depends on, in closed form. `round` hears how far it is.
CardConstants fit_card(std::span<const HostData> hosts, const std::function<void(int round, double residual)>& round,
                       const FitEffort& effort = {});

/// Root of the mean weighted relative square over the fit points.
double residual(const HostData& host, const CardConstants& card, const HostConstants& constants);

}  // namespace peerpath::pcie_bench
