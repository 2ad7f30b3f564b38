#include "scenario/disk.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {
namespace fs = std::filesystem;
namespace {

tl::expected<std::string, std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return tl::unexpected{std::string{"is a folder, not a file"}};
  std::ifstream in{path, std::ios::binary};
  if (!in) return tl::unexpected{std::string{"cannot be opened"}};
  std::string text;
  const auto limit = static_cast<std::size_t>(max_file_size.count());
  constexpr std::size_t block = 1 << 13;  // a scenario fits into one
  while (in && text.size() <= limit) {
    const auto before = text.size();
    text.resize(before + block);
    in.read(text.data() + before, static_cast<std::streamsize>(block));
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > limit)
    return tl::unexpected{"is larger than " + to_text(max_file_size) + ", the limit for scenario files"};
  if (in.bad()) return tl::unexpected{std::string{"cannot be read"}};
  return text;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

}  // namespace

std::vector<std::string> json_names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().generic_string());
  std::ranges::sort(names);
  return names;
}

FileAccess disk() { return {read_file, is_there}; }

}  // namespace peerpath::scenario
