// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace peerpath::agent {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int number) : number_{number} {}
  FileHandle(FileHandle&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileHandle() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace peerpath::agent
