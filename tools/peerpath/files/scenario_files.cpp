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

scenario::LoadOptions load_options(const std::vector<std::string>& overrides, InputFiles* inputs) {
  scenario::LoadOptions options;
  options.overrides = overrides;
  options.search = search_folders();
  if (inputs != nullptr) options.files = noting(options.files, *inputs);
  return options;
}

tl::expected<study::SubjectPtr, Problems> load_subject(const std::string& name,
                                                       const std::vector<std::string>& overrides, InputFiles* inputs,
                                                       bool without_traffic) {
  if (!scenario_file(name)) return tl::make_unexpected(Problems{not_found(name)});
  auto options = load_options(overrides, inputs);
  options.without_traffic = without_traffic;
  return study::load(name, options);
}

std::optional<scenario::Loaded> load_host(const std::string& name, const std::vector<std::string>& overrides,
                                          const Terminal& terminal, bool without_traffic) {
  auto options = load_options(overrides);
  options.without_traffic = without_traffic;
  auto loaded = scenario_file(name) ? scenario::load(name, options)
                                    : tl::expected<scenario::Loaded, Problems>{tl::unexpect, Problems{not_found(name)}};
  if (loaded) return std::move(*loaded);
  terminal.report(loaded.error());
  return std::nullopt;
}

tl::expected<study::Varied, Problems> load_varied(const std::string& name, const std::vector<std::string>& overrides) {
  if (!scenario_file(name)) return tl::make_unexpected(Problems{not_found(name)});
  return study::Varied::read(name, load_options(overrides));
}

}  // namespace peerpath::cli
