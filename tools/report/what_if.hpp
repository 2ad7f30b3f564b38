// What the reruns of `peerpath run --what-if` have shown, as tables; "" without reruns.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

std::string suspect_table(const Json& results);
std::string assumption_table(const Json& results);

}  // namespace peerpath::report
