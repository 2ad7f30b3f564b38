// Writing whole files, and saying why when it does not work.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// Writes beside the file and renames, so that nobody sees half of it; a device or pipe is written to as it is.
/// Says why it cannot.
bool write_file(const std::filesystem::path& file, std::string_view text, const Terminal& terminal);

struct OutputFile {
  std::filesystem::path path;
  std::string_view text;
};

/// The same of files that belong together: all are written before the first one is renamed, so that a full disk leaves
/// those that were there.
bool write_files(std::span<const OutputFile> files, const Terminal& terminal);

/// Makes the folder and those above it. Says why it cannot.
bool make_folder(const std::filesystem::path& folder, const Terminal& terminal);

/// The text of a file; nullopt if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

}  // namespace peerpath::cli
