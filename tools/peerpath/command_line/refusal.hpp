// Options that are not for every scenario, or not for every backend: the table of options says which.
#pragma once

#include <string>
#include <string_view>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// A sentence about the first of the given options of `command` that is not for this kind of scenario, or not for this
/// backend; "" if all are.
std::string refusal(const Arguments& arguments, std::string_view command, std::string_view kind,
                    std::string_view backend);

}  // namespace peerpath::cli
