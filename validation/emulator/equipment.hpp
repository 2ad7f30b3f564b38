// What the emulator needs besides this program: QEMU with peerpath's devices, a kernel, the guest's file system.
#pragma once

#include <filesystem>
#include <string>

#include <tl/expected.hpp>

namespace peerpath::emulator {

struct Equipment {
  std::filesystem::path qemu;
  std::filesystem::path kernel;
  std::filesystem::path initramfs;
  bool kvm = false;  ///< a probe has shown that this kernel boots with KVM here
};

/// Looks in the build folder that this program is in (or $PEERPATH_EMULATOR); if something is missing, a sentence that
/// says how to make it.
tl::expected<Equipment, std::string> find_equipment();

}  // namespace peerpath::emulator
