// The line that a person watches during a long run.
#pragma once

#include <chrono>
#include <string>

#include "peerpath/base/time.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// What the line says: simulated time, speed as a multiple of real time, time left.
std::string progress_text(Duration simulated, Duration total, std::chrono::nanoseconds wall);

/// Draws the line on standard error, at most ten times a second, if a person looks there; the destructor wipes it.
class Progress {
 public:
  explicit Progress(const Terminal& terminal);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(Duration simulated, Duration total);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point next_ = started_ + std::chrono::milliseconds{300};  // short runs show nothing
};

}  // namespace peerpath::cli
