#include "validation/emulator/acs.hpp"

#include <algorithm>
#include <optional>

namespace peerpath::emulator {
namespace {

using pcie::AcsControl;

/// Flags from the highest bit to the lowest, as Documentation/admin-guide/kernel-parameters.txt wants them. Translation
/// blocking, which only ATS needs, is left to the kernel unless it is asked for.
std::string flags(const std::vector<AcsControl>& controls) {
  const auto value = acs_register(controls);
  std::string text;
  for (int bit = 6; bit >= 0; --bit) {
    const bool on = (value >> bit & 1) != 0;
    text += on ? '1' : bit == static_cast<int>(AcsControl::translation_blocking) ? 'x' : '0';
  }
  return text;
}

}  // namespace

std::uint16_t acs_register(const std::vector<AcsControl>& controls) {
  unsigned value = 0;
  for (const auto control : controls) {
    if (control != AcsControl::none) value |= 1u << static_cast<unsigned>(control);
  }
  return static_cast<std::uint16_t>(value);
}

tl::expected<std::string, Problems> acs_kernel_word(const scenario::Scenario& scenario) {
  Problems problems;
  std::optional<std::vector<AcsControl>> switches;
  std::vector<AcsControl> root;
  for (const auto& device : scenario.devices) {
    const auto* bridge = std::get_if<device::SwitchConfig>(&device.config);
    const auto* complex = std::get_if<device::RootComplexConfig>(&device.config);
    if (bridge == nullptr && complex == nullptr) continue;
    const auto& acs = bridge != nullptr ? bridge->acs : complex->acs;
    const auto problem = [&](const char* message) {
      problems.push_back({"", 0, 0, "/devices/" + device.name + "/acs", message});
    };
    if (std::ranges::find(acs, AcsControl::egress_control) != acs.end()) problem("the emulator's ports have no EC");
    if (complex != nullptr) root = acs;
    if (bridge == nullptr) continue;
    if (switches && acs_register(*switches) != acs_register(acs))
      problem("is not that of the switch before it; the guest's kernel sets all switches of the emulator alike");
    switches = acs;
  }
  if (!problems.empty()) return tl::unexpected{problems};
  // PCI IDs of QEMU's pcie-root-port, and of the ports that peerpath-switch-downstream is made from.
  return "pci=config_acs=" + flags(root) + "@pci:1b36:c;" + flags(switches.value_or(root)) + "@pci:104c:8233";
}

}  // namespace peerpath::emulator
