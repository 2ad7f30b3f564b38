// Completion scripts, generated from the table of subcommands.
#pragma once

#include <span>
#include <string>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// Each is to be sourced by its shell. Scenario names are asked of `peerpath list scenarios` when needed.
std::string bash_completion(std::span<const Command> commands);
std::string zsh_completion(std::span<const Command> commands);
std::string fish_completion(std::span<const Command> commands);

}  // namespace peerpath::cli
