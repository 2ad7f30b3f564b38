// The manual page peerpath(1), made of the table of subcommands.
#pragma once

#include <span>
#include <string>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// In the macros of man(7).
std::string manual_page(std::span<const Command> commands);

}  // namespace peerpath::cli
