// The emulator's equipment as the command line asks for it.
#pragma once

#include <tl/expected.hpp>

#include "tools/peerpath/run/run_arguments.hpp"
#include "validation/emulator/equipment.hpp"

namespace peerpath::cli {

/// QEMU, the guest and its kernel: Debian's, or that of --kernel. Or, said why, the exit: waived where the emulator is
/// not built, wrong_input where the kernel will not do.
tl::expected<emulator::Equipment, Exit> guest_equipment(const std::optional<std::string>& kernel,
                                                        const OutputArguments& output, const Terminal& terminal);

}  // namespace peerpath::cli
