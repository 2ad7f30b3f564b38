// How a run ended, judged by its results.
#pragma once

#include <cstdint>

#include "peerpath/observe/results.hpp"

namespace peerpath::study {

enum class Ending : std::uint8_t {
  passed,
  failed,       ///< an expectation does not hold, or the run broke the protocol or ended in a deadlock
  skipped,      ///< there is nothing to run
  wrong,        ///< the scenario cannot be read or run
  crashed,      ///< a bug of peerpath
  interrupted,  ///< stopped before its end: nothing of it counts
};

/// The ending that finished results show.
Ending verdict(const observe::Results& results);

/// Whether the run ended in a deadlock and no expectation of the scenario speaks of one: else that expectation decides.
bool ends_in_unwanted_deadlock(const observe::Results& results);

}  // namespace peerpath::study
