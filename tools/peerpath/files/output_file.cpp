#include "tools/peerpath/files/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "peerpath/base/part_file.hpp"

namespace peerpath::cli {

namespace fs = std::filesystem;

namespace {

/// A device or pipe (/dev/null, a process substitution) is written to as it is: a rename would put a file in its place.
bool is_replaced(const fs::path& file) {
  std::error_code unknown;
  return !fs::exists(file, unknown) || fs::is_regular_file(file, unknown);
}

bool refuse(const fs::path& file, const std::string& why, const Terminal& terminal) {
  terminal.error("cannot write " + file.string() + ": " + why);
  return false;
}

/// Says why it cannot.
bool put(const fs::path& target, const OutputFile& file, const Terminal& terminal) {
  std::ofstream stream{target, std::ios::binary | std::ios::trunc};
  stream << file.text;
  stream.close();
  return stream ? true : refuse(file.path, std::strerror(errno), terminal);
}

/// Writes each file, or the part that is to replace it.
bool put_all(std::span<const OutputFile> files, std::vector<PartFile>& parts, const Terminal& terminal) {
  for (const auto& file : files) {
    const bool replaced = is_replaced(file.path);
    parts.push_back(replaced ? PartFile{file.path} : PartFile{});
    const auto& part = parts.back().path();
    if (replaced && part.empty()) return refuse(file.path, std::strerror(errno), terminal);
    if (!put(replaced ? part : file.path, file, terminal)) return false;
  }
  return true;
}

}  // namespace

bool write_files(std::span<const OutputFile> files, const Terminal& terminal) {
  std::vector<PartFile> parts;
  if (!put_all(files, parts, terminal)) return false;
  bool done = true;
  for (std::size_t n = 0; n < files.size(); ++n) {
    if (parts[n].path().empty()) continue;
    std::error_code error;
    fs::rename(parts[n].path(), files[n].path, error);
    if (error) done = refuse(files[n].path, error.message(), terminal);
  }
  return done;
}

bool write_file(const fs::path& file, std::string_view text, const Terminal& terminal) {
  const OutputFile one{file, text};
  return write_files({&one, 1}, terminal);
}

bool make_folder(const fs::path& folder, const Terminal& terminal) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) terminal.error("cannot make the folder " + folder.string() + ": " + error.message());
  return !error;
}

std::optional<std::string> read_file(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace peerpath::cli
