// DRAM being refreshed. The model card is README.md beside this.
#pragma once

#include <cstdint>

#include "peerpath/base/time.hpp"

namespace peerpath::host {

/// In each interval every rank serves nothing for a while.
struct Refresh {
  Duration interval = std::chrono::nanoseconds{7800};  ///< tREFI of JESD79-3 and -4
  Duration time = std::chrono::nanoseconds{350};       ///< tRFC1 of 8 Gb, JESD79-4; less than the interval
  int ranks = 2;                                       ///< 256 B of the address each, in turn
};

/// The rank of an address, of so many.
std::uint64_t rank_of(std::uint64_t address, int ranks);

/// From when DRAM serves an access to this place: not while its rank is refreshed.
Instant after_refresh(const Refresh& refresh, std::uint64_t address, Instant at);

}  // namespace peerpath::host
