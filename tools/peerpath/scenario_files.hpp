// Finding and loading scenarios the way a user names them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "peerpath/scenario/prepared.hpp"
#include "tools/peerpath/command.hpp"

namespace peerpath::cli {

/// Folders that hold scenarios: ./scenarios, and the one that came with the program.
std::vector<std::filesystem::path> scenario_folders();

/// Names below those folders that can be run: "netgpu/zero_copy". Presets and parts are left out.
std::vector<std::string> scenario_names();

/// The file that a path or a name of a scenario means.
std::optional<std::filesystem::path> scenario_file(const std::string& name);

/// Whether its folder is one of presets, which are no scenarios of their own.
bool is_part(const std::filesystem::path& file);

/// That there is no such scenario, with the name that was probably meant.
Problem not_found(const std::string& name);

/// Loads the scenario with the overrides of --set, --seed and --quantum. Prints every problem; nullopt if there are
/// any. `without_traffic`: it may be hardware alone.
std::optional<scenario::Loaded> load_scenario(const std::string& name, const Arguments& arguments,
                                              const Terminal& terminal, bool without_traffic = false);

/// The same without printing.
tl::expected<scenario::Loaded, Problems> load_scenario(const std::string& name, const Arguments& arguments,
                                                       bool without_traffic = false);

/// The scenario with the same overrides, to be loaded many times.
tl::expected<scenario::Prepared, Problems> prepare_scenario(const std::string& name, const Arguments& arguments);

/// The problem with the place of its key filled in.
Problem located(Problem problem, const scenario::Loaded& loaded);

}  // namespace peerpath::cli
