// Bugs of our own in a process that is not ours to end.
#pragma once

#include <exception>

namespace peerpath {

/// What `fail` throws while a `BugsAreThrown` lives. What and where was printed.
struct Bug final : std::exception {
  const char* what() const noexcept override { return "a bug of peerpath's own"; }
};

/// While one lives, `fail` throws a `Bug` in its thread in place of ending the process: for a library that works within
/// somebody else's program, which catches it.
class BugsAreThrown {
 public:
  BugsAreThrown();
  ~BugsAreThrown();
  BugsAreThrown(const BugsAreThrown&) = delete;
  BugsAreThrown& operator=(const BugsAreThrown&) = delete;

 private:
  bool before_;
};

}  // namespace peerpath
