// What stands in folders, for suggestions: nothing of it gets into a scenario.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace peerpath::scenario {

/// Names, without ".json", of the JSON files in a folder, in order; none if it cannot be read.
std::vector<std::string> json_names_in(const std::filesystem::path& folder);

}  // namespace peerpath::scenario
