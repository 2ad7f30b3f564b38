// The scenario's ACS controls as the guest's kernel and QEMU's devices take them.
#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::emulator {

/// The register of one port: bits of the ACS Control Register (PCIe Base Spec 7.7.11.3).
std::uint16_t acs_register(const std::vector<pcie::AcsControl>& controls);

/// The word of the kernel's command line that sets the root ports and the switches' downstream ports to what their
/// devices' `acs` says. Problems: what QEMU's ports have not, and switches that differ, which the kernel cannot tell
/// apart.
tl::expected<std::string, Problems> acs_kernel_word(const scenario::Scenario& scenario);

}  // namespace peerpath::emulator
