// Finding and loading scenarios the way a user names them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "study/run.hpp"
#include "study/varied.hpp"
#include "tools/peerpath/command_line/terminal.hpp"
#include "tools/peerpath/files/input_files.hpp"

namespace peerpath::cli {

/// Where scenarios and what they extend are looked for: the folders of scenarios, and those of presets in them, so that
/// "extends": "h200" needs no path.
std::vector<std::filesystem::path> search_folders();

/// Folders that hold scenarios: ./scenarios, and the one that came with the program.
std::vector<std::filesystem::path> scenario_folders();

/// Names below those folders that can be run: "netgpu/zero_copy". Presets and parts are left out.
std::vector<std::string> scenario_names();

/// Presets that "extends" takes by name alone, and their files; of two with a name the one that is found first.
std::map<std::string, std::filesystem::path> preset_files();

/// The file that a path or a name of a scenario means.
std::optional<std::filesystem::path> scenario_file(const std::string& name);

/// Whether its folder is one of presets, which are no scenarios of their own.
bool is_part(const std::filesystem::path& file);

/// That there is no such scenario, with the name that was probably meant.
Problem not_found(const std::string& name);

/// How scenarios are loaded with these overrides (as --set takes them). `inputs` takes the files that are read.
scenario::LoadOptions load_options(const std::vector<std::string>& overrides, InputFiles* inputs = nullptr);

/// The scenario of that name, of whatever kind it is, or all problems of it. `without_traffic`: it may be hardware
/// alone.
tl::expected<study::SubjectPtr, Problems> load_subject(const std::string& name,
                                                       const std::vector<std::string>& overrides,
                                                       InputFiles* inputs = nullptr, bool without_traffic = false);

/// A scenario of PCIe, for what no other has. Prints every problem; nullopt if there are any.
std::optional<scenario::Loaded> load_host(const std::string& name, const std::vector<std::string>& overrides,
                                          const Terminal& terminal, bool without_traffic = false);

/// The scenario with these overrides, to be varied.
tl::expected<study::Varied, Problems> load_varied(const std::string& name, const std::vector<std::string>& overrides);

}  // namespace peerpath::cli
