// The kinds of scenario there are. A new one is a folder here and a line in kinds.cpp.
#pragma once

#include <span>

#include "study/kind.hpp"

namespace peerpath::study {

/// The first that takes a file has it; the last takes all.
std::span<const Kind> kinds();

}  // namespace peerpath::study
