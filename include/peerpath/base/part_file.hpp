#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

namespace peerpath {

/// The next contents of a file, written beside it under a name that no other process has, so that several may write the
/// same file at once: whoever has filled it renames it. One that was not renamed is removed at the end of its scope.
/// Ranks on several machines may share the folder, and a process number: the file system decides who has a name.
class PartFile {
 public:
  PartFile() = default;
  /// Makes it, empty. `path` is empty, and errno is set, if it cannot be made.
  explicit PartFile(const std::filesystem::path& file) {
    for (unsigned attempt = 0;; ++attempt) {
      path_ = file;
      path_ += "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".part";
      const int made = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (made >= 0) {
        ::close(made);
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
