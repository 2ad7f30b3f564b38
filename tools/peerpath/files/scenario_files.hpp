// Finding and loading scenarios the way a user names them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "tools/peerpath/batch/sweep_subject.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/files/input_files.hpp"
#include "tools/peerpath/files/located.hpp"

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

/// How the command line wants scenarios loaded. `inputs` takes the files that are read.
scenario::LoadOptions load_options(const Arguments& arguments, InputFiles* inputs = nullptr);

/// Loads the scenario with the overrides of --set, --seed and --quantum. Prints every problem; nullopt if there are
/// any. `without_traffic`: it may be hardware alone. `inputs` takes the files that were read.
std::optional<scenario::Loaded> load_scenario(const std::string& name, const Arguments& arguments,
                                              const Terminal& terminal, bool without_traffic = false,
                                              InputFiles* inputs = nullptr);

/// The same without printing.
tl::expected<scenario::Loaded, Problems> load_scenario(const std::string& name, const Arguments& arguments,
                                                       bool without_traffic = false, InputFiles* inputs = nullptr);

/// The scenario of a host or of a network with the same overrides, to be varied.
tl::expected<SweepSubject, Problems> sweep_subject(const std::string& name, const Arguments& arguments);

}  // namespace peerpath::cli
