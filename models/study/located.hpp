// Where in a scenario's files a key stands.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "peerpath/scenario/load.hpp"

namespace peerpath::study {

/// The problem with the place of its key filled in.
Problem located(Problem problem, const scenario::Loaded& loaded);

/// The same for values of a scenario of any kind: the file that was read, and whence each value.
Problem located(Problem problem, const std::filesystem::path& file,
                const std::map<std::string, scenario::Origin>& origins);

}  // namespace peerpath::study
