#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

namespace peerpath {

/// The next contents of a file, written beside it under a name of its own and renamed when complete, so that several
/// processes, also of several machines, may write the same file at once. A part that was not renamed is removed at the
/// end of its scope.
class PartFile {
 public:
  PartFile() = default;
  /// Makes it, empty. `path` is empty, and errno is set, if it cannot be made.
  explicit PartFile(const std::filesystem::path& file) {
    std::random_device random;
    for (;;) {
      path_ = file;
      path_ += "." + std::to_string(random()) + ".part";
      if (auto* made = std::fopen(path_.c_str(), "wx"); made != nullptr) {
        std::fclose(made);
        return;
      }
      if (errno == EEXIST) continue;
      path_.clear();
      return;
    }
  }
  PartFile(PartFile&& other) noexcept : path_{std::exchange(other.path_, {})} {}
  PartFile& operator=(PartFile&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~PartFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace peerpath
