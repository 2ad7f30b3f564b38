// Purposes of accesses, as the emulator writes them.
#pragma once

#include <stdexcept>
#include <string>

#include "peerpath/pcie/tlp.hpp"

namespace peerpath::emulator {

/// Throws std::invalid_argument for a name that no purpose has.
inline pcie::Purpose purpose_of(const std::string& name) {
  for (const auto& known : enum_names(pcie::Purpose{}))
    if (known.name == name) return known.value;
  throw std::invalid_argument{"no purpose is called '" + name + "'"};
}

}  // namespace peerpath::emulator
