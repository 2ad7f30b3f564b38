// Loading network scenarios the way a user names them.
#pragma once

#include <optional>
#include <string>

#include "scenario/network/load.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/files/input_files.hpp"

namespace peerpath::cli {

/// The network scenario of that name with the overrides of --set and --seed, or its problems; nothing if it is none.
std::optional<tl::expected<network_scenario::Loaded, Problems>> load_network(const std::string& name,
                                                                             const Arguments& arguments,
                                                                             InputFiles* inputs = nullptr);

}  // namespace peerpath::cli
