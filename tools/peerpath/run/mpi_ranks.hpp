// The ranks that mpirun has started, by way of the MPI library that is on the machine.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "platform/network/ranks.hpp"
#include "tools/peerpath/run/launcher.hpp"

namespace peerpath::cli {

/// Joins the other ranks of the launcher. Open MPI (libmpi.so.40) is loaded now: a run without a launcher needs no MPI
/// library. The error is a sentence: there is none, or it knows of fewer ranks than the launcher has told of.
tl::expected<std::unique_ptr<network_run::Ranks>, std::string> join_ranks(const Rank& rank);

}  // namespace peerpath::cli
