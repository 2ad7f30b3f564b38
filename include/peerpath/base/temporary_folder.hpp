#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace peerpath {

/// A new folder that no other process uses; it is removed with its contents at the end of its scope. Several runs of
/// one program or test may exist at the same time. The path is short: that of a Unix socket may have 107
/// characters. Throws std::filesystem::filesystem_error if there is no place for one.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    if (error) throw std::filesystem::filesystem_error{"TMPDIR is not a folder", error};
    std::string pattern = (parent / "peerpath-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::filesystem::filesystem_error{
          "cannot make a temporary folder", pattern, {errno, std::generic_category()}};
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace peerpath
