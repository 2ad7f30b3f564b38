#include "tools/peerpath/files/input_files.hpp"

#include <algorithm>

#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/sha256.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

void add(InputFiles& files, const fs::path& path, std::string_view text) {
  std::error_code error;
  const auto whole = fs::absolute(path, error).lexically_normal();
  if (std::ranges::find(files, whole, &InputFile::path) == files.end()) files.push_back({whole, sha256(text)});
}

}  // namespace

scenario::FileAccess noting(scenario::FileAccess files, InputFiles& into) {
  auto read = [from = std::move(files.read), &into](const fs::path& path) {
    auto text = from(path);
    if (text) add(into, path, *text);
    return text;
  };
  return {std::move(read), std::move(files.exists)};
}

void add_captures(const std::vector<std::filesystem::path>& captures, InputFiles& into) {
  for (const auto& capture : captures)
    if (const auto text = capture.empty() ? std::nullopt : read_file(capture)) add(into, capture, *text);
}

}  // namespace peerpath::cli
