// Times that the tests of this folder are written with.
#pragma once

#include "peerpath/base/time.hpp"

namespace peerpath::host {

constexpr Instant at(Duration since_start) { return Instant{since_start}; }

}  // namespace peerpath::host
