#include "scenario/files.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "scenario/resolve.hpp"

namespace peerpath::scenario {
namespace fs = std::filesystem;

std::string name_of_file(const fs::path& file, const LoadOptions& options) {
  fs::path name = file;
  name.replace_extension();
  for (const fs::path& base : options.search) {
    const auto below = name.lexically_normal().lexically_relative(base.lexically_normal());
    if (!below.empty() && *below.begin() != "..") return below.generic_string();
  }
  const auto part = std::find(name.begin(), name.end(), fs::path{"scenarios"});
  if (part == name.end()) return name.stem().generic_string();
  fs::path below;
  for (auto it = std::next(part); it != name.end(); ++it) below /= *it;
  return below.generic_string();
}

Problems sorted(Problems problems, const Sources& sources) {
  std::set<std::tuple<std::string, int, int, std::string>> said;
  std::erase_if(problems, [&](const Problem& p) {
    return p.line > 0 && !said.emplace(p.file, p.line, p.column, p.message).second;
  });
  std::ranges::stable_sort(problems, [&](const Problem& a, const Problem& b) {
    const auto key = [&](const Problem& p) {
      const auto file = std::ranges::find(sources.files, p.file) - sources.files.begin();
      return std::tuple{p.message.starts_with("more problems"), file, p.line, p.column};
    };
    return key(a) < key(b);
  });
  return problems;
}

tl::expected<FileText, Problems> text_of(const fs::path& name, const LoadOptions& options) {
  const fs::path file = Resolver::find(name, {}, options);
  if (file.empty()) {
    std::error_code error;
    const bool folder = fs::is_directory(name, error);
    return tl::unexpected{Problems{
        {name.generic_string(), 0, 0, "", folder ? "is a folder, not a file" : "there is no such file or scenario"}}};
  }
  auto text = options.files.read(file);
  if (!text) return tl::unexpected{Problems{{file.generic_string(), 0, 0, "", text.error()}}};
  return FileText{file, std::move(*text)};
}

}  // namespace peerpath::scenario
