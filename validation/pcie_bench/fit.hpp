// Fits the constants on two sizes of each curve; all other points are predictions.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "validation/pcie_bench/constants.hpp"
#include "validation/pcie_bench/host_data.hpp"

namespace peerpath::pcie_bench {

/// The points that a fit may look at: two sizes of each curve. The curves of the command interface are not fitted at all.
std::span<const Case> fit_cases();
bool is_fitted(const Case& which);

/// The host's two constants with the card's held: weighted relative squares over the fit points of this host. The completion step is
/// tried at each power of two, the latency fitted by NLopt (Nelder and Mead).
HostConstants fit_host(const HostData& host, const CardConstants& card);

/// The card's seven constants over several hosts, their own fitted along. `round` hears how far it is.
CardConstants fit_card(std::span<const HostData> hosts, const CardConstants& start,
                       const std::function<void(int round, double residual)>& round);

/// Root of the mean weighted relative square over the fit points.
double residual(const HostData& host, const CardConstants& card, const HostConstants& constants);

}  // namespace peerpath::pcie_bench
