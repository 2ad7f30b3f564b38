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
  std::string release{};    ///< of the kernel
  bool kvm = false;         ///< a probe has shown that this kernel boots with KVM here
  std::string processor{};  ///< what the guest's processors are, for the reader: "KVM", or TCG and why not KVM
};

/// Looks in the build folder that this program is in (or $PEERPATH_EMULATOR); if something is missing, a sentence that
/// says how to make it.
tl::expected<Equipment, std::string> find_equipment();

/// The same with a kernel of the user's own, a bzImage or a build tree, for which qemu-devices/guest/own-kernel makes
/// the guest; that takes a while the first time. Or one sentence that says why that kernel will not do.
tl::expected<Equipment, std::string> with_kernel(Equipment equipment, const std::filesystem::path& kernel);

/// What qemu-devices/guest/probe-kvm found out in that build folder: "", or why guests run without KVM.
std::string why_no_kvm(const std::filesystem::path& folder);
/// The same of the build folder that this program is in.
std::string why_no_kvm();

}  // namespace peerpath::emulator
