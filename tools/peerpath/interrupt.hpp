// Ctrl-C asks for the end of a run; a second one ends the program.
#pragma once

namespace peerpath::cli {

/// While it lives, SIGINT and SIGTERM are noted instead of killing; the second one kills.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// A signal has come.
  bool interrupted() const;
};

}  // namespace peerpath::cli
