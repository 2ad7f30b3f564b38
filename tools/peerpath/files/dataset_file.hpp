// A dataset of `peerpath measure` named on the command line.
#pragma once

#include <optional>
#include <string>

#include "tools/peerpath/command_line/terminal.hpp"
#include "validation/compare/dataset.hpp"

namespace peerpath::cli {

/// Reads it, and warns of each point that is set aside. None if it is refused, with all that is wrong reported.
std::optional<compare::Dataset> load_dataset(const std::string& file, const Terminal& terminal);

}  // namespace peerpath::cli
