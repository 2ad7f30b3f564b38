#include "tools/peerpath/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace peerpath::cli {

namespace fs = std::filesystem;

namespace {

/// A device or pipe (/dev/null, a process substitution) is written to as it is: a rename would put a file in its place.
bool is_replaced(const fs::path& file) {
  std::error_code unknown;
  return !fs::exists(file, unknown) || fs::is_regular_file(file, unknown);
}

fs::path beside(fs::path file) { return file += ".part"; }

/// Says why it cannot.
bool put(const fs::path& target, const OutputFile& file, const Terminal& terminal) {
  std::ofstream stream{target, std::ios::binary | std::ios::trunc};
  stream << file.text;
  stream.close();
  if (!stream) terminal.error("cannot write " + file.path.string() + ": " + std::strerror(errno));
  return static_cast<bool>(stream);
}

}  // namespace

bool write_files(std::span<const OutputFile> files, const Terminal& terminal) {
  std::error_code error;
  for (std::size_t n = 0; n < files.size(); ++n) {
    const auto& path = files[n].path;
    if (put(is_replaced(path) ? beside(path) : path, files[n], terminal)) continue;
    for (const auto& file : files.first(n + 1))
      if (is_replaced(file.path)) fs::remove(beside(file.path), error);
    return false;
  }
  bool done = true;
  for (const auto& file : files) {
    if (!is_replaced(file.path)) continue;
    fs::rename(beside(file.path), file.path, error);
    if (error) terminal.error("cannot write " + file.path.string() + ": " + error.message());
    done = done && !error;
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
