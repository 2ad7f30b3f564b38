#include "validation/emulator/equipment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

namespace peerpath::emulator {
namespace {

namespace fs = std::filesystem;

/// Folders that may hold qemu/ and guest/: above the program there is the build folder.
std::vector<fs::path> candidates() {
  if (const char* given = std::getenv("PEERPATH_EMULATOR")) return {given};
  std::vector<fs::path> folders;
  std::error_code error;
  auto folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) folders.push_back(folder);
  return folders;
}

std::string first_line(const fs::path& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

tl::expected<Equipment, std::string> find_equipment() {
  std::string missing;
  for (const auto& folder : candidates()) {
    Equipment found;
    found.qemu = folder / "qemu/bin/qemu-system-x86_64";
    const auto release = first_line(folder / "guest/kernel/release");
    found.kernel = folder / "guest/kernel/usr/lib/modules" / release / "vmlinuz";
    found.initramfs = folder / "guest/initramfs.zst";
    const auto reason = why_no_kvm(folder);
    found.kvm = reason.empty();
    found.processor = found.kvm ? "KVM" : "TCG, in software: " + reason;
    std::error_code error;
    const bool qemu = fs::exists(found.qemu, error);
    const bool guest = !release.empty() && fs::exists(found.kernel, error) && fs::exists(found.initramfs, error);
    if (qemu && guest) return found;
    if (qemu) missing = "the guest is not built: qemu-devices/guest/build makes it";
    if (guest) missing = "QEMU is not built: qemu-devices/build makes it";
  }
  if (missing.empty()) missing = "the emulator is not built: qemu-devices/build and qemu-devices/guest/build make it";
  return tl::unexpected{missing};
}

std::string why_no_kvm(const fs::path& folder) {
  std::ifstream in{folder / "guest/kvm"};
  std::string answer, reason;
  std::getline(in, answer);
  std::getline(in, reason);
  if (answer.empty()) return "not tried; qemu-devices/guest/probe-kvm does";
  if (answer != "works") return reason;
  return ::access("/dev/kvm", R_OK | W_OK) == 0 ? "" : "no right to use /dev/kvm";
}

std::string why_no_kvm() {
  for (const auto& folder : candidates()) {
    std::error_code error;
    if (fs::exists(folder / "guest/kvm", error)) return why_no_kvm(folder);
  }
  return why_no_kvm(fs::path{});
}

}  // namespace peerpath::emulator
