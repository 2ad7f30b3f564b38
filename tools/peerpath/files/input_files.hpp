// Which files a scenario was made of, and what stood in them when they were read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"

namespace peerpath::cli {

struct InputFile {
  std::filesystem::path path;
  std::string sha256;  ///< of the text that was read
};

/// Files in the order in which they were read, each once.
using InputFiles = std::vector<InputFile>;

/// `files`, with a note in `into` of each text that is read. `into` must outlive it.
scenario::FileAccess noting(scenario::FileAccess files, InputFiles& into);

/// Adds the files that only a run reads: captures that traffic replays.
void add_captures(const std::vector<std::filesystem::path>& captures, InputFiles& into);

}  // namespace peerpath::cli
