#include "tools/peerpath/inspect/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tools/peerpath/files/output_file.hpp"
#include "validation/backends/gpu/driver.hpp"
#include "validation/backends/gpu/kernel_files.hpp"
#include "validation/emulator/equipment.hpp"
#include "validation/experiments/machine_facts.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

struct Program {
  const char* name;
  const char* purpose;
  const char* install;
};

constexpr std::array programs{
    Program{"g++", "building", "apt install g++"},
    Program{"clang++", "fuzzers and the second compiler of the tests", "apt install clang"},
    Program{"cmake", "building", "apt install cmake"},
    Program{"npm", "the charts of the HTML report", "apt install npm"},
    Program{"chromium", "looking at the report in tests", "apt install chromium"},
    Program{"lspci", "importing a topology", "apt install pciutils"},
    Program{"tshark", "reading captures by hand", "apt install tshark"},
    Program{"valgrind", "the speed gates", "apt install valgrind"},
    Program{"nvcc", "the hardware backend with NVIDIA GPUs", "install the CUDA toolkit"},
    Program{"hipcc", "the hardware backend with AMD GPUs", "apt install hipcc"},
    Program{"ib_write_bw", "cross-checking RDMA figures", "apt install perftest"},
};

/// The first file of that name in PATH that can be run.
std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto candidate = fs::path{rest.substr(0, end)} / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

/// Names of the entries of a folder, "mlx5_0, mlx5_1"; "" if there are none.
std::string entries(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator{folder, error}; entry != fs::directory_iterator{}; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool is_display_controller(const fs::path& device) {
  // PCI base class 03, display: GPUs; 12, processing accelerators: data-centre GPUs.
  const auto code = read_file(device / "class").value_or("");
  return code.starts_with("0x03") || code.starts_with("0x12");
}

std::string gpus() {
  std::string text;
  std::error_code error;
  for (auto entry = fs::directory_iterator{"/sys/bus/pci/devices", error}; entry != fs::directory_iterator{};
       entry.increment(error)) {
    if (!is_display_controller(entry->path())) continue;
    auto vendor = read_file(entry->path() / "vendor").value_or("");
    if (vendor.ends_with("\n")) vendor.pop_back();
    if (vendor != "0x10de" && vendor != "0x1002") continue;
    text += (text.empty() ? "" : ", ") + entry->path().filename().string() + (vendor == "0x10de" ? " NVIDIA" : " AMD");
  }
  return text;
}

Finding finding(std::string name, const std::string& detail, std::string missing, std::string purpose) {
  return {std::move(name), !detail.empty(), detail.empty() ? std::move(missing) : detail, std::move(purpose)};
}

/// "12.4" of 12040, as CUDA numbers its versions; HIP's number has no such form.
std::string version_text(gpu_backend::Vendor vendor, int version) {
  if (vendor == gpu_backend::Vendor::hip) return "HIP " + std::to_string(version);
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The vendor's driver library and the compiled kernels for it.
void add_gpu_programs(gpu_backend::Vendor vendor, std::vector<Finding>& findings) {
  const bool nvidia = vendor == gpu_backend::Vendor::cuda;
  const auto loaded = gpu_backend::load_driver(vendor);
  std::string detail;
  if (loaded.driver) {
    int version = 0, count = 0;
    loaded.driver->driver_version(&version);
    const bool ready = loaded.driver->init(0) == 0 && loaded.driver->device_count(&count) == 0;
    detail = loaded.file + ", " + version_text(vendor, version) + ", " + std::to_string(ready ? count : 0) + " GPUs";
    if (const auto kernel = experiments::kernel_driver(); nvidia && !kernel.empty()) detail += "; " + kernel;
  }
  findings.push_back(
      finding(std::string{gpu_backend::library_of(vendor)}, detail,
              (nvidia ? "install the driver of NVIDIA: " : "install ROCm or libamdhip64: ") + loaded.missing,
              "measuring GPUs, and sockets on hardware"));
  if (!nvidia && !loaded.driver) return;
  for (const auto* which : {"kernels", "gpunet"}) {
    const auto found = gpu_backend::find_kernels(which, vendor);
    findings.push_back(finding(
        gpu_backend::kernel_file_name(which, vendor), found.file.string(), found.missing,
        which == std::string_view{"kernels"} ? "`peerpath measure`" : "`peerpath run --on hardware` with sockets"));
  }
}

}  // namespace

std::vector<Finding> examine_machine() {
  std::vector<Finding> findings;
  for (const auto& program : programs)
    findings.push_back(finding(program.name, find_program(program.name), program.install, program.purpose));
  // Its own QEMU, with peerpath's devices: one in PATH is of no use to it.
  const auto equipment = emulator::find_equipment();
  findings.push_back(finding("emulator", equipment ? equipment->qemu.string() : "", equipment ? "" : equipment.error(),
                             "the emulator backend"));
  const auto why_no_kvm = emulator::why_no_kvm();
  findings.push_back(finding("KVM", why_no_kvm.empty() ? "the guest boots with it" : "",
                             why_no_kvm + " (guests run by TCG, in software)", "running guests at full speed"));
  findings.push_back(finding("RDMA devices", entries("/sys/class/infiniband"), "no device in /sys/class/infiniband",
                             "the hardware backend with RDMA NICs"));
  findings.push_back(finding("GPUs", gpus(), "no NVIDIA or AMD GPU on the PCI bus", "the hardware backend"));
  for (const auto vendor : {gpu_backend::Vendor::cuda, gpu_backend::Vendor::hip}) add_gpu_programs(vendor, findings);
  return findings;
}

}  // namespace peerpath::cli
