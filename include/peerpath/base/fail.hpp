// The one way to report a bug of our own: say what and where, and stop.
#pragma once

#include <string_view>

namespace peerpath {

/// Exit status of a program that found a bug in itself (sysexits EX_SOFTWARE).
inline constexpr int exit_bug = 70;

/// A place in the source: std::source_location, which clang 14 cannot compile.
struct SourcePlace {
  const char* file;
  const char* function;
  unsigned line;

  /// As a default argument: the place of the call.
  static constexpr SourcePlace current(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                                       unsigned line = __builtin_LINE()) {
    return {file, function, line};
  }
};

/// What `fail` does. Its arguments go in registers: a place in memory would be written before each `require` is judged.
[[noreturn, gnu::cold]] void fail_at(const char* file, const char* function, unsigned line, std::string_view what);

/// Prints `what` and the place to standard error and ends the process with `exit_bug`.
[[noreturn, gnu::always_inline]] inline void fail(std::string_view what, SourcePlace where = SourcePlace::current()) {
  fail_at(where.file, where.function, where.line, what);
}

/// `fail(what)` unless `condition` holds.
inline void require(bool condition, std::string_view what, SourcePlace where = SourcePlace::current()) {
  if (!condition) fail(what, where);
}

}  // namespace peerpath
