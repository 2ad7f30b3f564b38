#include "validation/experiments/machine_facts.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "validation/experiments/json_line.hpp"

namespace peerpath::experiments {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Value of the first line that starts with `key`, after its colon.
std::string value_of(const std::string& text, const std::string& key) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key) && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "";
}

/// The PCIe capability of a configuration space (PCIe Base Spec 7.5.3): registers by their offset in it.
class Capability {
 public:
  explicit Capability(std::string space) : space_{std::move(space)} {
    if (space_.size() < 256) return;
    for (auto at = byte(0x34) & 0xfcu; at != 0; at = byte(at + 1) & 0xfcu) {
      if (byte(at) == 0x10) base_ = at;
      if (base_ || ++hops_ > 48) break;
    }
  }
  bool found() const { return base_.has_value(); }
  unsigned word(unsigned offset) const { return byte(*base_ + offset) | byte(*base_ + offset + 1) << 8; }

 private:
  unsigned byte(std::size_t at) const { return at < space_.size() ? static_cast<unsigned char>(space_[at]) : 0; }

  std::string space_;
  std::optional<unsigned> base_;
  int hops_ = 0;
};

std::string function_facts(const fs::path& device) {
  JsonLine line;
  const Capability pcie{read_text(device / "config")};
  if (!pcie.found()) return line.add("capability", "not readable").text();
  const auto control = pcie.word(0x08), capabilities = pcie.word(0x04), status = pcie.word(0x12),
             link = pcie.word(0x0c);
  line.add("generation", static_cast<int>(status & 0xf)).add("width", static_cast<int>(status >> 4 & 0x3f));
  line.add("generation_capable", static_cast<int>(link & 0xf)).add("width_capable", static_cast<int>(link >> 4 & 0x3f));
  line.add("max_payload", 128 << (control >> 5 & 7)).add("max_payload_capable", 128 << (capabilities & 7));
  line.add("max_read_request", 128 << (control >> 12 & 7));
  line.add("relaxed_ordering", (control >> 4 & 1) != 0).add("extended_tags", (control >> 8 & 1) != 0);
  line.add("ten_bit_tags", (pcie.word(0x28) >> 12 & 1) != 0)
      .add("read_completion_boundary", pcie.word(0x10) & 8 ? 128 : 64);
  line.add("atomic_requester", (pcie.word(0x28) >> 6 & 1) != 0);
  return line.text();
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string host_facts() {
  const auto cpu = read_text("/proc/cpuinfo");
  utsname system{};
  uname(&system);
  const auto memory = std::strtoll(value_of(read_text("/proc/meminfo"), "MemTotal").c_str(), nullptr, 10);
  return JsonLine{}
      .add("processor", value_of(cpu, "model name"))
      .add("cores", static_cast<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN)))
      .add("memory_MiB", static_cast<std::int64_t>(memory / 1024))
      .add("kernel", system.release)
      .add("virtual", value_of(cpu, "flags").find(" hypervisor ") != std::string::npos)
      .text();
}

std::int64_t huge_pages() {
  const auto kib = value_of(read_text("/proc/self/smaps_rollup"), "AnonHugePages");
  return std::strtoll(kib.c_str(), nullptr, 10) / 1024;
}

std::string pcie_facts(const std::string& bus_id) {
  std::error_code error;
  const auto device = fs::canonical(fs::path{"/sys/bus/pci/devices"} / lower(bus_id), error);
  if (error) return JsonLine{}.add("capability", "not in /sys/bus/pci").text();
  std::vector<std::string> above;
  for (auto bridge = device.parent_path(); fs::exists(bridge / "config"); bridge = bridge.parent_path())
    above.push_back(function_facts(bridge));
  return JsonLine{}.add_raw("function", function_facts(device)).add_raw("bridges", json_array(above)).text();
}

std::string lspci_text(const std::string& bus_id) {
  if (bus_id.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos) return "";
  std::string text;
  if (auto* pipe = popen(("lspci -vvv -s " + bus_id + " 2>/dev/null").c_str(), "r")) {
    char block[4096];
    for (std::size_t n = 0; (n = fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, n);
    pclose(pipe);
  }
  return text;
}

std::string kernel_driver() {
  const auto text = read_text("/proc/driver/nvidia/version");
  return text.substr(0, text.find('\n'));
}

}  // namespace peerpath::experiments
