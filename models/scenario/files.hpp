// Scenario files by name, and problems in the order of a person who reads them.
#pragma once

#include <filesystem>
#include <string>

#include "peerpath/scenario/load.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {

struct FileText {
  std::filesystem::path file;
  std::string text;
};

/// The text of a scenario that is named as a user names it.
tl::expected<FileText, Problems> text_of(const std::filesystem::path& name, const LoadOptions& options);

/// "netgpu/zero_copy" for scenarios/netgpu/zero_copy.json, else the stem.
std::string name_of_file(const std::filesystem::path& file, const LoadOptions& options);

/// By line within a file, and files by the order in which they were read. A mistake in a preset is reported once, even
/// if several devices extend the preset.
Problems sorted(Problems problems, const Sources& sources);

}  // namespace peerpath::scenario
