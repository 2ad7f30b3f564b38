// Where in a scenario's files a key stands.
#pragma once

#include "peerpath/scenario/load.hpp"

namespace peerpath::cli {

/// The problem with the place of its key filled in.
Problem located(Problem problem, const scenario::Loaded& loaded);

}  // namespace peerpath::cli
