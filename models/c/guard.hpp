// The border between C++ and C callers.
#pragma once

#include <cstdint>
#include <utility>

namespace peerpath::c {

/// Runs `body`; an exception (out of memory is the one that could come) is counted and goes no further.
template <class Body>
void guarded(std::uint64_t& faults, Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (...) {
    ++faults;
  }
}

}  // namespace peerpath::c
