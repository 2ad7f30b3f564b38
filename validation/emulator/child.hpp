// A child process whose standard output is read, line by line.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace peerpath::emulator {

/// Killed when this ends, and by the kernel when this program ends.
class Child {
 public:
  /// Standard error goes to `errors`, standard input is empty.
  Child(const std::vector<std::string>& command, const std::filesystem::path& errors);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// The lines that came within `patience`; empty and `ended` when there will be no more.
  std::vector<std::string> lines(std::chrono::milliseconds patience);
  bool ended() const { return ended_; }
  void kill();
  /// Lets it come to its end by itself, and kills it after `patience`. Returns how it ended: "exit status 0", "signal
  /// 9" or "killed".
  std::string finish(std::chrono::seconds patience);

 private:
  pid_t process_ = -1;
  int output_ = -1;
  bool ended_ = false;
  std::string rest_;
};

}  // namespace peerpath::emulator
