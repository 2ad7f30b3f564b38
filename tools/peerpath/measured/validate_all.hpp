// `peerpath validate --all`: pcie-bench, our own dataset and every published case in one go.
#pragma once

#include <filesystem>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// `data` is the folder of measured sets. Done only if everything is within its tolerance.
Exit validate_all(const std::filesystem::path& data, bool json, const Terminal& terminal);

}  // namespace peerpath::cli
