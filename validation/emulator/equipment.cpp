#include "validation/emulator/equipment.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
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

/// The last line that a program prints; an error, that line as well, if it fails. Its talk goes to standard error.
tl::expected<std::string, std::string> said_by(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return tl::unexpected{"cannot start " + words.front()};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    ::execv(raw[0], raw.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t got = 0; (got = ::read(ends[0], some.data(), some.size())) > 0;)
    text.append(some.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return tl::unexpected{"cannot start " + words.front()};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto last = text.substr(text.find_last_of('\n') + 1);
  if (status == 0 && !last.empty()) return last;
  return tl::unexpected{last.empty() ? words.front() + " failed" : last};
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
    found.release = release;
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

tl::expected<Equipment, std::string> with_kernel(Equipment equipment, const fs::path& kernel) {
  // build/qemu/bin/qemu-system-x86_64 stands in the tree whose script it is.
  const auto build = equipment.qemu.parent_path().parent_path().parent_path();
  const auto script = build.parent_path() / "qemu-devices/guest/own-kernel";
  std::error_code error;
  if (!fs::exists(script, error))
    return tl::unexpected{script.string() + " is missing: it makes the guest of a kernel"};
  const auto said = said_by({script.string(), fs::absolute(kernel, error).string()});
  if (!said) return tl::unexpected{said.error()};
  const fs::path folder = *said;
  equipment.kernel = folder / "bzImage";
  equipment.initramfs = folder / "initramfs.zst";
  equipment.release = first_line(folder / "kernel/release");
  return equipment;
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
