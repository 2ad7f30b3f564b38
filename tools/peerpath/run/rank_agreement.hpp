// Ranks of one mpirun make sure that they were given the same scenario before they run it together.
#pragma once

#include <string>
#include <string_view>

#include "platform/network/ranks.hpp"

namespace peerpath::cli {

/// "", or a sentence that names the first rank whose resolved scenario (seed and windows are in it) is not rank 0's.
/// All ranks call it together.
std::string disagreement(network_run::Ranks& ranks, std::string_view resolved);

}  // namespace peerpath::cli
