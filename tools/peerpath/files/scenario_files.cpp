#include "tools/peerpath/files/scenario_files.hpp"

#include <algorithm>

#include "peerpath/base/nearest.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* parts_folder = "hardware";  // presets: devices without traffic
constexpr const char* wrong_folder = "invalid";   // samples of mistakes

/// Beside the program when installed, or in the source tree that it was built in.
void add_installed(std::vector<fs::path>& folders) {
  std::error_code error;
  auto folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int up = 0; up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    for (const auto& candidate : {folder / "share" / "peerpath" / "scenarios", folder / "scenarios"}) {
      if (!fs::is_directory(candidate / parts_folder, error)) continue;
      folders.push_back(candidate);
      return;
    }
  }
}

std::vector<std::string> overrides(const Arguments& arguments) {
  auto values = arguments.values("--set");
  if (const auto seed = arguments.value("--seed")) values.push_back("run.seed=" + *seed);
  if (const auto quantum = arguments.value("--quantum")) values.push_back("run.quantum=" + *quantum);
  return values;
}

}  // namespace

bool is_part(const fs::path& file) { return file.parent_path().filename() == parts_folder; }

Problem not_found(const std::string& name) {
  const auto near = nearest(name, scenario_names());
  Problem problem;
  problem.file = name;
  problem.message = "there is no such file, nor a scenario of that name";
  problem.message += near.empty() ? "; `peerpath list scenarios` names them" : "; did you mean \"" + near + "\"?";
  return problem;
}

std::optional<fs::path> scenario_file(const std::string& name) {
  auto bases = scenario_folders();
  bases.insert(bases.begin(), fs::path{});
  std::error_code error;
  for (const auto& base : bases)
    for (const auto& file : {base / name, base / (name + ".json")})
      if (fs::exists(file, error) && !fs::is_directory(file, error)) return file;
  return std::nullopt;
}

std::vector<fs::path> scenario_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (fs::is_directory("scenarios", error)) folders.emplace_back("scenarios");
  add_installed(folders);
  if (folders.size() == 2 && fs::equivalent(folders[0], folders[1], error)) folders.pop_back();
  return folders;
}

std::vector<fs::path> search_folders() {
  auto folders = scenario_folders();
  for (const auto& folder : scenario_folders()) folders.push_back(folder / parts_folder);
  return folders;
}

std::map<std::string, fs::path> preset_files() {
  std::map<std::string, fs::path> files;
  for (const auto& folder : scenario_folders()) {
    std::error_code error;
    for (fs::directory_iterator entry{folder / parts_folder, error}, end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".json") files.try_emplace(entry->path().stem().string(), entry->path());
  }
  return files;
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& folder : scenario_folders()) {
    std::error_code error;
    for (auto entry = fs::recursive_directory_iterator{folder, error}; entry != fs::recursive_directory_iterator{};
         entry.increment(error)) {
      const auto relative = entry->path().lexically_relative(folder);
      if (relative.extension() != ".json" || *relative.begin() == parts_folder || *relative.begin() == wrong_folder)
        continue;
      names.push_back(fs::path{relative}.replace_extension().generic_string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()),
              names.end());  // clang 14 cannot compile ranges::unique's subrange
  return names;
}

scenario::LoadOptions load_options(const Arguments& arguments, InputFiles* inputs) {
  scenario::LoadOptions options;
  options.overrides = overrides(arguments);
  options.search = search_folders();
  if (inputs != nullptr) options.files = noting(options.files, *inputs);
  return options;
}

tl::expected<scenario::Loaded, Problems> load_scenario(const std::string& name, const Arguments& arguments,
                                                       bool without_traffic, InputFiles* inputs) {
  if (!scenario_file(name)) return tl::make_unexpected(Problems{not_found(name)});
  auto options = load_options(arguments, inputs);
  options.without_traffic = without_traffic;
  return scenario::load(name, options);
}

tl::expected<SweepSubject, Problems> sweep_subject(const std::string& name, const Arguments& arguments) {
  if (!scenario_file(name)) return tl::make_unexpected(Problems{not_found(name)});
  return SweepSubject::read(name, load_options(arguments));
}

std::optional<scenario::Loaded> load_scenario(const std::string& name, const Arguments& arguments,
                                              const Terminal& terminal, bool without_traffic, InputFiles* inputs) {
  auto loaded = load_scenario(name, arguments, without_traffic, inputs);
  if (loaded) return std::move(*loaded);
  terminal.report(loaded.error());
  return std::nullopt;
}

}  // namespace peerpath::cli
