#include <algorithm>
#include <set>

#include "peerpath/scenario/describe.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/check.hpp"
#include "scenario/device_check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

class Devices {
 public:
  Devices(const Scenario& scenario, const Tree& tree, Problems& out) : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check() {
    std::set<std::string> names;
    for (const Device& device : scenario_.devices) {
      if (!names.insert(device.name).second) add(join("/devices", device.name), "stands twice in the scenario");
      check_place(device);
      DeviceCheck check{scenario_, tree_, device, ranges_, out_};
      with_kind(device, [&](auto kind, const auto& config) { kind.check(config, check); });
    }
    const auto roots = tree_.all<device::RootComplexConfig>();
    if (roots.empty()) add("/devices", "there is no root_complex; every PCIe domain has one");
    for (std::size_t i = 1; i < roots.size(); ++i)
      add(join("/devices", roots[i]),
          "is a second root_complex beside " + roots[0] + "; a scenario is one PCIe domain");
    const auto memories = tree_.all<device::HostMemoryConfig>();
    for (std::size_t i = 1; i < memories.size(); ++i)
      add(join("/devices", memories[i]), "is a second host_memory beside " + memories[0] + "; a root_complex has one");
    const auto cpus = tree_.all<device::HostCpuConfig>();
    for (std::size_t i = 1; i < cpus.size(); ++i)
      add(join("/devices", cpus[i]),
          "is a second host_cpu beside " + cpus[0] +
              "; all cores of the host are one, which serves every queue: give it more \"cores\"");
    check_addresses();
  }

 private:
  void add(std::string key, std::string message) { out_.push_back({"", 0, 0, std::move(key), std::move(message)}); }

  /// What stands on a link has one; what stands at a root complex names it.
  void check_place(const Device& device) {
    const auto role = role_of(device);
    if ((role == device::Role::router || role == device::Role::endpoint) && !tree_.uplink(device.name))
      add(join("/devices", device.name), "has no link to a switch or root complex");
    std::visit(
        [&](const auto& config) {
          if constexpr (requires { config.at; }) needs_root(device, config.at);
        },
        device.config);
  }

  void needs_root(const Device& device, const std::string& root) {
    const auto key = join("/devices", device.name) + "/at";
    if (root.empty()) return add(key, "must name the root_complex that it stands at");
    const Device* found = tree_.find(root);
    if (found == nullptr)
      add(key, no_device(tree_, root));
    else if (role_of(*found) != device::Role::root_complex)
      add(key, what_is(*found) + ", not a root_complex");
  }

  void check_addresses() {
    constexpr WideInt most = WideInt{1} << 57;  // five-level page tables; real hosts have fewer bits
    WideInt total = 0;
    for (const Device& device : scenario_.devices)
      total += with_kind(device, [](auto kind, const auto& config) { return kind.address_space(config); }).count();
    if (total > most) add("/devices", "memory and BARs together are larger than an address space of 57 bits");
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].end > most) add(ranges_[i].key, "ends above an address space of 57 bits");
      for (std::size_t j = 0; j < ranges_.size(); ++j) {
        const AddressRange &a = ranges_[i], &b = ranges_[j];
        // Reported once: at the BAR with a fixed address, or at the second of two such BARs.
        if (!a.fixed || i == j || (b.fixed && j > i) || a.start >= b.end || b.start >= a.end) continue;
        add(a.key, "lies over " + std::string{b.fixed ? "the BAR of " : ""} + b.device->name + ", which has " +
                       hex(b.start) + " to " + hex(b.end - 1));
      }
    }
  }

  static std::string hex(WideInt value) { return to_text(BusAddress{static_cast<std::uint64_t>(value)}); }

  const Scenario& scenario_;
  const Tree& tree_;
  Problems& out_;
  std::vector<AddressRange> ranges_;
};

}  // namespace

const device::IommuConfig* iommu_of(const Scenario& scenario) {
  for (const Device& device : scenario.devices)
    if (const auto* root = std::get_if<device::RootComplexConfig>(&device.config); root != nullptr && root->iommu)
      return &*root->iommu;
  return nullptr;
}

std::optional<std::string> contradiction(const std::vector<pcie::AcsControl>& controls) {
  const bool none = std::ranges::find(controls, pcie::AcsControl::none) != controls.end();
  if (none && controls.size() > 1) return "none and controls beside it; name those that are on, or none alone";
  return std::nullopt;
}

void check_devices(const Scenario& scenario, const Tree& tree, Problems& out) { Devices{scenario, tree, out}.check(); }

}  // namespace peerpath::scenario
