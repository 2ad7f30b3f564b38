// Ctrl-C, or a terminal that closes, asks for the end of a run; a second Ctrl-C ends the program.
#pragma once

namespace peerpath::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted instead of killing, unless they were ignored before; the second
/// one kills.
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
