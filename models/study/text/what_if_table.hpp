// What the reruns of --what-if have shown, as text.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "study/text/painter.hpp"

namespace peerpath::study {

/// Both tables below, with headings.
std::string what_if_text(const observe::WhatIf& what_if, const Painter& painter);
/// What each suspect changed when it was doubled and halved.
std::string suspect_table(const observe::WhatIf& what_if);
/// The assumed values that matter, with their sources.
std::string assumption_table(const observe::WhatIf& what_if);

}  // namespace peerpath::study
