// Test data of this folder, and files that exist only in memory.
#pragma once

#include <map>
#include <string>

#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

inline std::filesystem::path source_folder(SourcePlace here = SourcePlace::current()) {
  return std::filesystem::canonical(here.file).parent_path();  // the build sees headers through links
}

inline std::filesystem::path testdata() { return source_folder() / "testdata"; }
inline std::filesystem::path shipped_scenarios() { return source_folder().parent_path().parent_path() / "scenarios"; }

/// Networks, which are read by scenario/network. `below`: a shipped scenario's path below shipped_scenarios().
inline bool is_of_network(const std::filesystem::path& below) {
  const auto folder = below.begin()->string();
  return folder == "roce" || folder == "meta_roce" || folder == "tcp";
}

/// Options whose files are `files`, by path.
inline LoadOptions in_memory(std::map<std::string, std::string> files) {
  LoadOptions options;
  options.files.read = [files](const std::filesystem::path& path) -> tl::expected<std::string, std::string> {
    const auto found = files.find(path.lexically_normal().generic_string());
    if (found == files.end()) return tl::unexpected{std::string{"is not there"}};
    return found->second;
  };
  options.files.exists = [files](const std::filesystem::path& path) {
    return files.contains(path.lexically_normal().generic_string());
  };
  return options;
}

/// All problems, one a line.
inline std::string lines_of(const Problems& problems) {
  std::string out;
  for (const Problem& problem : problems) out += to_string(problem) + "\n";
  return out;
}

}  // namespace peerpath::scenario
