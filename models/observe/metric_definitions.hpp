// What each metric means: what is counted, from which event to which, in which unit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace peerpath::observe {

/// Help for a metric by its name in results ("rx.goodput_gbps", "sw0-rc.up.wire_bytes") or by what follows the name of
/// its object ("goodput_gbps", "up.wire_bytes"); nothing if no metric is called so.
std::optional<std::string> explain_metric(std::string_view name);

/// The name closest to `word` behind that of its object, or "" if none is close.
std::string nearest_metric(std::string_view word);

}  // namespace peerpath::observe
