// The one way to report a bug of our own: say what and where, and stop.
#pragma once

#include <source_location>
#include <string_view>

namespace peerpath {

/// Exit status of a program that found a bug in itself (sysexits EX_SOFTWARE).
inline constexpr int exit_bug = 70;

/// Prints `what` and the place to standard error and ends the process with `exit_bug`.
[[noreturn]] void fail(std::string_view what, std::source_location where = std::source_location::current());

/// `fail(what)` unless `condition` holds.
inline void require(bool condition, std::string_view what,
                    std::source_location where = std::source_location::current()) {
  if (!condition) fail(what, where);
}

}  // namespace peerpath
