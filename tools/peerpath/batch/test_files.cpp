#include "tools/peerpath/batch/test_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "tools/peerpath/files/scenario_files.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

bool below_invalid(const fs::path& relative) {
  return std::find(relative.begin(), relative.end(), fs::path{"invalid"}) != relative.end();
}

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator{folder, error};
       !error && entry != fs::recursive_directory_iterator{}; entry.increment(error))
    if (entry->path().extension() == ".json" && entry->is_regular_file(error) &&
        !below_invalid(entry->path().lexically_relative(folder)))
      files.push_back(entry->path().lexically_normal().generic_string());
  return files;
}

}  // namespace

tl::expected<std::vector<std::string>, Problems> test_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  Problems problems;
  for (const auto& word : words) {
    std::error_code error;
    if (fs::is_directory(word, error)) {
      const auto found = files_below(word);
      if (found.empty()) problems.push_back({word, 0, 0, "", "has no .json file in it or below"});
      files.insert(files.end(), found.begin(), found.end());
    } else if (const auto file = scenario_file(word)) {
      files.push_back(file->lexically_normal().generic_string());
    } else {
      problems.push_back(not_found(word));
    }
  }
  if (!problems.empty()) return tl::unexpected{problems};
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace peerpath::cli
