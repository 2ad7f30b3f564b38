#include "validation/import/host_trust.hpp"

#include <algorithm>
#include <array>

namespace peerpath::import {
namespace {

using pcie::HostBridgeList;

constexpr int intel = 0x8086, amd = 0x1022, google = 0x1ae0, nvidia = 0x10de;
constexpr int any = -1;

struct Entry {
  int vendor, device;
  HostBridgeList trust;
};

/// drivers/pci/p2pdma.c, pci_p2pdma_whitelist; those with REQ_SAME_HOST_BRIDGE are same_bridge_only.
constexpr std::array entries{Entry{intel, 0x3c00, HostBridgeList::same_bridge_only},
                             Entry{intel, 0x3c01, HostBridgeList::same_bridge_only},
                             Entry{intel, 0x2f00, HostBridgeList::same_bridge_only},
                             Entry{intel, 0x2f01, HostBridgeList::same_bridge_only},
                             Entry{intel, 0x2030, HostBridgeList::listed},
                             Entry{intel, 0x2031, HostBridgeList::listed},
                             Entry{intel, 0x2032, HostBridgeList::listed},
                             Entry{intel, 0x2033, HostBridgeList::listed},
                             Entry{intel, 0x2020, HostBridgeList::listed},
                             Entry{intel, 0x09a2, HostBridgeList::listed},
                             Entry{intel, 0x0b25, HostBridgeList::listed},
                             Entry{intel, 0x0cfe, HostBridgeList::listed},
                             Entry{intel, 0x11fb, HostBridgeList::listed},
                             Entry{intel, 0x1212, HostBridgeList::listed},
                             Entry{intel, 0x1216, HostBridgeList::listed},
                             Entry{intel, 0x4940, HostBridgeList::listed},
                             Entry{intel, 0x4942, HostBridgeList::listed},
                             Entry{intel, 0x4944, HostBridgeList::listed},
                             Entry{intel, 0x4946, HostBridgeList::listed},
                             Entry{intel, 0x4948, HostBridgeList::listed},
                             Entry{google, any, HostBridgeList::listed},
                             Entry{nvidia, 0x2f95, HostBridgeList::listed},
                             Entry{nvidia, 0x2f96, HostBridgeList::listed},
                             Entry{nvidia, 0x2f97, HostBridgeList::listed},
                             Entry{nvidia, 0x2f98, HostBridgeList::listed},
                             Entry{amd, any, HostBridgeList::listed}};

/// Names of those that stand on root buses first, for dumps without IDs.
struct Name {
  std::string_view text;
  HostBridgeList trust;
};
constexpr std::array names{
    Name{"Xeon E5/Core i7 DMI2", HostBridgeList::same_bridge_only},
    Name{"Xeon E7 v3/Xeon E5 v3/Core i7 DMI2", HostBridgeList::same_bridge_only},
    Name{"Xeon E7 v3/Xeon E5 v3/Core i7 PCI Express Root Port 0", HostBridgeList::same_bridge_only},
    Name{"Haswell-E DMI2", HostBridgeList::same_bridge_only},
    Name{"Haswell-E PCI Express Root Port 0", HostBridgeList::same_bridge_only},
    Name{"Sky Lake-E PCI Express Root Port", HostBridgeList::listed},
    Name{"Sky Lake-E DMI3 Registers", HostBridgeList::listed},
    Name{"Ice Lake Memory Map/VT-d", HostBridgeList::listed},
    Name{"Advanced Micro Devices", HostBridgeList::listed},
    Name{"Google, Inc.", HostBridgeList::listed}};

}  // namespace

const Function* host_bridge_device(const std::vector<Function>& functions, int domain, int root_bus) {
  const Function* first = nullptr;
  for (const auto& f : functions) {
    if (f.domain != domain || f.bus != root_bus) continue;
    if (first == nullptr || std::pair{f.device, f.function} < std::pair{first->device, first->function}) first = &f;
  }
  if (first == nullptr) return nullptr;
  const bool at_zero = first->device == 0 && first->function == 0;
  return at_zero || first->port.starts_with("Root Port") ? first : nullptr;
}

HostBridgeList host_trust(const Function* bridge) {
  if (bridge == nullptr) return HostBridgeList::unlisted;
  if (bridge->vendor && bridge->device_id) {
    const auto* entry = std::ranges::find_if(entries, [&](const Entry& e) {
      return e.vendor == *bridge->vendor && (e.device == any || e.device == bridge->device_id);
    });
    return entry == entries.end() ? HostBridgeList::unlisted : entry->trust;
  }
  const auto* name =
      std::ranges::find_if(names, [&](const Name& n) { return bridge->name.find(n.text) != n.text.npos; });
  return name == names.end() ? HostBridgeList::unlisted : name->trust;
}

}  // namespace peerpath::import
