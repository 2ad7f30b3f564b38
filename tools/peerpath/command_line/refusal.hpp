// Options that are not for every subject, or not for every backend: the table of options says which.
#pragma once

#include <string>
#include <string_view>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// A sentence about the first of the given options of `command` that is not for this subject ("a PCIe scenario"), or
/// not for this backend ("": there is none to choose); "" if all are.
std::string refusal(const Arguments& arguments, std::string_view command, std::string_view subject,
                    std::string_view backend = "");

}  // namespace peerpath::cli
