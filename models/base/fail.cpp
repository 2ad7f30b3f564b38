#include "peerpath/base/fail.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "peerpath/base/bug.hpp"

namespace peerpath {
namespace {

thread_local bool bugs_are_thrown = false;

}  // namespace

void fail_at(const char* file, const char* function, unsigned line, std::string_view what) {
  std::fprintf(stderr, "peerpath: internal error: %.*s (%s:%u, %s)\n", static_cast<int>(what.size()), what.data(), file,
               line, function);
  std::fflush(nullptr);
  if (bugs_are_thrown) throw Bug{};
  std::_Exit(exit_bug);  // no destructors: the state that they would see is the one just found wrong
}

BugsAreThrown::BugsAreThrown() : before_{std::exchange(bugs_are_thrown, true)} {}
BugsAreThrown::~BugsAreThrown() { bugs_are_thrown = before_; }

}  // namespace peerpath
