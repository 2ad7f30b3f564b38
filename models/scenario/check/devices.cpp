#include <algorithm>
#include <iterator>
#include <set>

#include "peerpath/scenario/describe.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/check/check.hpp"
#include "scenario/check/device_check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

class Devices {
 public:
  Devices(const Scenario& scenario, const Tree& tree, Problems& out) : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check() {
    std::set<std::string> names;
    for (const Device& device : scenario_.devices) {
      if (!names.insert(device.name).second) add(join("/devices", device.name), "is defined twice");
      check_place(device);
      DeviceCheck check{scenario_, tree_, device, ranges_, out_};
      with_kind(device, [&](auto kind, const auto& config) { kind.check(config, check); });
    }
    std::set<std::string> hosts;
    for (const auto& name : names) hosts.insert(host_of(name));
    for (const auto& host : hosts)
      if (tree_.all_of<device::RootComplexConfig>(host).empty())
        add("/devices",
            (host.empty() ? "there" : host + ": there") + " is no root_complex; every PCIe domain needs one");
    if (names.empty()) add("/devices", "there is no root_complex; every PCIe domain needs one");
    one_at_a_root<device::HostMemoryConfig>("host_memory", "a root_complex has exactly one");
    one_at_a_root<device::HostCpuConfig>("host_cpu",
                                         "a socket has one host_cpu, which serves every queue; increase its \"cores\"");
    for (const auto& host : hosts) check_addresses(host);
  }

 private:
  void add(std::string key, std::string message) { out_.push_back({"", 0, 0, std::move(key), std::move(message)}); }

  template <class Config>
  void one_at_a_root(const std::string& kind, const std::string& why) {
    for (const auto& name : tree_.all<Config>())
      if (const auto first = tree_.standing_at<Config>(std::get<Config>(tree_.find(name)->config).at); first != name)
        add(join("/devices", name), "is a second " + kind + " beside " + first + "; " + why);
  }

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
    if (root.empty()) return add(key, "must name the root_complex that it belongs to");
    const Device* found = tree_.find(root);
    if (found == nullptr)
      add(key, no_device(tree_, root));
    else if (role_of(*found) != device::Role::root_complex)
      add(key, what_is(*found) + ", not a root_complex");
    else if (host_of(root) != host_of(device.name))
      add(key, root + " is in another host");
  }

  /// The address space of a host: its memories lie one behind the other from 0 on.
  void check_addresses(const std::string& host) {
    constexpr WideInt most = WideInt{1} << 57;  // five-level page tables; real hosts have fewer bits
    WideInt total = 0;
    std::vector<AddressRange> ranges;
    std::ranges::copy_if(ranges_, std::back_inserter(ranges),
                         [&](const AddressRange& range) { return host_of(range.device->name) == host; });
    for (AddressRange& range : ranges) {
      if (range.fixed) continue;
      range.start += total;
      range.end += total;
      total = range.end;
    }
    total = 0;
    for (const Device& device : scenario_.devices)
      if (host_of(device.name) == host)
        total += with_kind(device, [](auto kind, const auto& config) { return kind.address_space(config); }).count();
    if (total > most) add("/devices", "memory and BARs together exceed the 57-bit address space");
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].end > most) add(ranges[i].key, "ends above the 57-bit address space");
      for (std::size_t j = 0; j < ranges.size(); ++j) {
        const AddressRange &a = ranges[i], &b = ranges[j];
        // Reported once: at the BAR with a fixed address, or at the second of two such BARs.
        if (!a.fixed || i == j || (b.fixed && j > i) || a.start >= b.end || b.start >= a.end) continue;
        add(a.key, "overlaps " + std::string{b.fixed ? "the BAR of " : ""} + b.device->name + ", which occupies " +
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

const device::IommuConfig* iommu_of(const Tree& tree, std::string_view device) {
  const auto* root = tree.root_config(device);
  return root != nullptr && root->iommu ? &*root->iommu : nullptr;
}

std::optional<std::string> contradiction(const std::vector<pcie::AcsControl>& controls) {
  const bool none = std::ranges::find(controls, pcie::AcsControl::none) != controls.end();
  if (none && controls.size() > 1) return "\"none\" cannot be combined with other controls";
  return std::nullopt;
}

void check_devices(const Scenario& scenario, const Tree& tree, Problems& out) { Devices{scenario, tree, out}.check(); }

}  // namespace peerpath::scenario
