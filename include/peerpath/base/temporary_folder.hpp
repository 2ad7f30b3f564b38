#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "peerpath/base/fail.hpp"

namespace peerpath {

/// A new folder that no other process uses; it is removed with all that is in it at the end of its scope. For tests:
/// several of them, and several runs of one, may be under way at the same time.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "peerpath-XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "no temporary folder can be made");
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
