// Where the latency of each traffic entry goes: its stages as a waterfall; "" where none are recorded.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

std::string waterfall(const Json& results);

}  // namespace peerpath::report
