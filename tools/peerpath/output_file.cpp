#include "tools/peerpath/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace peerpath::cli {

namespace fs = std::filesystem;

bool write_file(const fs::path& file, std::string_view text, const Terminal& terminal) {
  // A device or pipe (/dev/null, a process substitution) is written to as it is: a rename would put a file in its
  // place.
  std::error_code unknown;
  const bool replace = !fs::exists(file, unknown) || fs::is_regular_file(file, unknown);
  auto beside = file;
  if (replace) beside += ".part";
  {
    std::ofstream stream{beside, std::ios::binary | std::ios::trunc};
    stream << text;
    stream.close();
    if (!stream) {
      terminal.error("cannot write " + file.string() + ": " + std::strerror(errno));
      if (replace) fs::remove(beside, unknown);
      return false;
    }
  }
  if (!replace) return true;
  std::error_code error;
  fs::rename(beside, file, error);
  if (error) terminal.error("cannot write " + file.string() + ": " + error.message());
  return !error;
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
