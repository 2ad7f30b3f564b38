// Whether a document has the structure that `peerpath run` writes: what is damaged is refused, not drawn.
#pragma once

#include <optional>
#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

/// The first damage found in a results.json: "/metrics/3/unit is not a text". Nothing if every part that the page reads
/// is there and of its type, links are a forest, and the deadlock's cycle names queues that it lists. Keys that are not
/// known are let pass: later versions add some.
std::optional<std::string> damage(const Json& results);

}  // namespace peerpath::report
