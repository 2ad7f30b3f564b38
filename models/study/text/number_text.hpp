// Numbers for reading: few digits, and always with a unit.
#pragma once

#include <string>

#include "peerpath/base/units.hpp"
#include "peerpath/observe/results.hpp"

namespace peerpath::study {

std::string readable(Duration time);                                    ///< "812 ns", "1.24 us"
std::string readable(Bytes size);                                       ///< "800 B", "3.91 MB"
std::string grouped(std::int64_t count);                                ///< "1 234 567"
std::string gbps(Bytes bytes, Duration window);                         ///< "195.70", without unit
std::string percent(observe::Decimal percent);                          ///< "78.3 %"
std::string found_text(const observe::ExpectationResult& expectation);  ///< "195.7", "none" if nothing was measured

}  // namespace peerpath::study
