// The border between C++ and C callers.
#pragma once

#include <cstdint>
#include <utility>

#include "peerpath/base/bug.hpp"

namespace peerpath::c {

/// Runs `body`; an exception (there is no memory, or a bug) is counted and goes no further. Whether there was none.
template <class Body>
bool guarded(std::uint64_t& faults, Body&& body) {
  const BugsAreThrown here;
  try {
    std::forward<Body>(body)();
    return true;
  } catch (...) {
    ++faults;
    return false;
  }
}

}  // namespace peerpath::c
