// Options that take whole numbers: --jobs 4, --shard 2/8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// `text` as a number of `least` at least; nullopt if it is anything else.
std::optional<int> whole_number(std::string_view text, int least);

/// The value of --jobs, or the number of processors that this process may use. Says what is wrong with it.
std::optional<int> jobs_of(const std::optional<std::string>& text, const Terminal& terminal);

}  // namespace peerpath::cli
