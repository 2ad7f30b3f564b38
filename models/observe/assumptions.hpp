// What a run takes for granted that flatters its results, as sentences.
#pragma once

#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::observe {

/// One sentence for each root complex that passes payload between its own ports without a limit (`peer_to_peer` is
/// absent, or has no rate for that way), and one for each copy to a GPU by kernels, whose loads in flight decide its
/// rate.
std::vector<std::string> flattering_assumptions(const Results& results, const scenario::Scenario& scenario);

}  // namespace peerpath::observe
