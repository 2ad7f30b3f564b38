#include "peerpath/base/fail.hpp"

#include <cstdio>
#include <cstdlib>

namespace peerpath {

void fail(std::string_view what, SourcePlace where) {
  std::fprintf(stderr, "peerpath: internal error: %.*s (%s:%u, %s)\n", static_cast<int>(what.size()), what.data(),
               where.file, where.line, where.function);
  std::fflush(nullptr);
  std::_Exit(exit_bug);  // no destructors: the state that they would see is the one just found wrong
}

}  // namespace peerpath
