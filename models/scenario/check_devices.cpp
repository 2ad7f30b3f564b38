#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "peerpath/scenario/describe.hpp"
#include "scenario/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

bool is_power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

std::string at(const Device& device, std::string_view key) {
  return join("/devices", device.name) + "/" + std::string{key};
}

class Devices {
 public:
  Devices(const Scenario& scenario, const Tree& tree, Problems& out) : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check() {
    std::set<std::string> names;
    for (const Device& device : scenario_.devices) {
      if (!names.insert(device.name).second) add(join("/devices", device.name), "stands twice in the scenario");
      std::visit([&](const auto& config) { check(device, config); }, device.config);
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
    for (const auto& nic : tree_.all<device::NicConfig>())
      if (memories.empty()) add(join("/devices", nic), "needs a host_memory, where its rings are");
    check_addresses();
  }

 private:
  struct Range {
    const Device* device;
    std::string key;
    WideInt start, end;
    bool fixed;
  };

  void add(std::string key, std::string message) { out_.push_back({"", 0, 0, std::move(key), std::move(message)}); }

  void power_of_two(const Device& device, std::string_view key, std::int64_t value, const std::string& spelt) {
    if (is_power_of_two(value)) return;
    const auto down = std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1)));
    add(at(device, key),
        spelt + " is not a power of two; next to it are " + near(spelt, down) + " and " + near(spelt, down * 2));
  }

  // A power of two in the spelling of the wrong value: a size, or a plain number.
  static std::string near(const std::string& spelt, std::uint64_t value) {
    const bool size = !spelt.empty() && spelt.back() == 'B';
    return size ? to_text(Bytes{static_cast<std::int64_t>(value)}) : std::to_string(value);
  }

  void needs_link(const Device& device) {
    if (!tree_.uplink(device.name)) add(join("/devices", device.name), "has no link to a switch or root complex");
  }

  void needs_root(const Device& device, const std::string& root) {
    if (root.empty()) return add(at(device, "at"), "must name the root_complex that it stands at");
    const Device* found = tree_.find(root);
    if (found == nullptr)
      add(at(device, "at"), no_device(tree_, root));
    else if (!std::holds_alternative<device::RootComplexConfig>(found->config))
      add(at(device, "at"), what_is(*found) + ", not a root_complex");
  }

  void bar(const Device& device, std::string_view key, Bytes size, const std::optional<BusAddress>& address) {
    power_of_two(device, key, size.count(), to_text(size));
    if (!address || !is_power_of_two(size.count())) return;
    const auto mask = static_cast<std::uint64_t>(size.count()) - 1;
    if ((address->value() & mask) != 0)
      add(at(device, "bar_address"), to_text(*address) + " is not a multiple of the BAR's size, " + to_text(size));
    ranges_.push_back({&device, at(device, "bar_address"), static_cast<WideInt>(address->value()),
                       static_cast<WideInt>(address->value()) + size.count(), true});
  }

  void check_acs(const Device& device, const std::vector<pcie::AcsControl>& controls) {
    if (const auto why = contradiction(controls)) add(at(device, "acs"), *why);
    if (std::ranges::find(controls, pcie::AcsControl::none) == controls.end())
      needs_memory(at(device, "acs"), "ACS sends");
  }

  // The host memory's node in the fabric answers requests that the root complex refuses.
  void needs_memory(std::string key, const std::string& what) {
    if (tree_.all<device::HostMemoryConfig>().empty())
      add(std::move(key), "what " + what + " to the root complex is answered at its memory; needs a host_memory");
  }

  // Times of all units are summed, each for as long as the run lasts.
  void units(const Device& device, std::string_view key, std::int64_t count) {
    const WideInt most = std::numeric_limits<std::int64_t>::max();
    const auto whole = static_cast<WideInt>(scenario_.run.warmup.count()) + scenario_.run.measure.count();
    if (whole * count <= most) return;
    const Duration all{narrow(most / count) / 1'000'000'000'000 * 1'000'000'000'000};
    add(at(device, key), std::to_string(count) + " units over run.warmup and run.measure, " +
                             to_text(Duration{narrow(whole)}) + ", are more time than can be summed; with so many, " +
                             to_text(all) + " at most");
  }

  void zero_or_counted(const Device& device, std::string_view key, BitRate rate) {
    if (rate == BitRate{} || rate >= device::least_rate) return;
    add(at(device, key),
        to_text(rate) + " is below the least allowed, " + to_text(device::least_rate) + "; 0bps: no limit");
  }

  void check(const Device& device, const device::RootComplexConfig& root) {
    check_acs(device, root.acs);
    if (!root.forwards_peers) needs_memory(at(device, "forwards_peers"), "peers send");
    if (root.peer_to_peer) {
      zero_or_counted(device, "peer_to_peer/write_rate", root.peer_to_peer->write_rate);
      zero_or_counted(device, "peer_to_peer/read_rate", root.peer_to_peer->read_rate);
    }
    if (root.credits) {
      units(device, "credits/write_credits", root.credits->write_credits);
      units(device, "credits/read_credits", root.credits->read_credits);
    }
    if (root.iommu) units(device, "iommu/walkers", root.iommu->walkers);
    if (!root.iommu || root.iommu->ways == 0 || root.iommu->entries % root.iommu->ways == 0) return;
    add(at(device, "iommu/ways"), std::to_string(root.iommu->ways) + " does not divide the " +
                                      std::to_string(root.iommu->entries) + " entries; 0 is fully associative");
  }
  void check(const Device& device, const device::SwitchConfig& bridge) {
    needs_link(device);
    check_acs(device, bridge.acs);
  }
  void check(const Device& device, const device::HostMemoryConfig& memory) {
    needs_root(device, memory.at);
    ranges_.push_back({&device, at(device, "size"), 0, memory.size.count(), false});
    if (memory.channels) units(device, "channels/count", memory.channels->count);
    if (!memory.cache) return;
    const auto& cache = *memory.cache;
    const Bytes step{64 * cache.ways};
    if (cache.size.count() % step.count() != 0)
      add(at(device, "cache/size"), to_text(cache.size) + " is not a multiple of 64 B times " +
                                        std::to_string(cache.ways) + " ways; next below is " +
                                        to_text(Bytes{cache.size.count() / step.count() * step.count()}));
    if (cache.ddio_ways > cache.ways)
      add(at(device, "cache/ddio_ways"),
          std::to_string(cache.ddio_ways) + " of " + std::to_string(cache.ways) + " ways");
  }
  void check(const Device& device, const device::HostCpuConfig& cpu) {
    needs_root(device, cpu.at);
    units(device, "cores", cpu.cores);
    if (tree_.all<device::HostMemoryConfig>().empty())
      add(join("/devices", device.name), "needs a host_memory, where its programs and rings are");
  }
  void check(const Device& device, const device::NicConfig& nic) {
    needs_link(device);
    power_of_two(device, "ring_entries", nic.ring_entries, std::to_string(nic.ring_entries));
    if (!nic.ats) return;
    if (const auto* iommu = iommu_of(scenario_); iommu == nullptr)
      add(at(device, "ats"), "there is nothing to translate: no root_complex here has an \"iommu\"");
    else if (nic.ats->page_size > iommu->page_size)
      add(at(device, "ats/page_size"), std::string{name_of(nic.ats->page_size)} +
                                           " is more than a page of the IOMMU, " +
                                           std::string{name_of(iommu->page_size)} + ": no translation covers it");
  }
  void check(const Device& device, const device::GpuConfig& gpu) {
    needs_link(device);
    units(device, "copy_engines", gpu.copy_engines);
    if (gpu.peer_reads) units(device, "peer_reads", *gpu.peer_reads);
    bar(device, "bar_size", gpu.bar_size, gpu.bar_address);
    const auto& bar1 = gpu.bar1;
    power_of_two(device, "bar1/page", bar1.page.count(), to_text(bar1.page));
    if (bar1.reserved > gpu.bar_size)
      add(at(device, "bar1/reserved"),
          to_text(bar1.reserved) + " is more than the window has, " + to_text(gpu.bar_size));
    if (bar1.piece < bar1.page || bar1.piece.count() % bar1.page.count() != 0)
      add(at(device, "bar1/piece"), to_text(bar1.piece) + " is not a multiple of the page, " + to_text(bar1.page));
    else if (bar1.when_full == device::Bar1Full::remap && bar1.piece > gpu.bar_size - bar1.reserved)
      add(at(device, "bar1/piece"), to_text(bar1.piece) + " is more than the window has besides what is reserved, " +
                                        to_text(gpu.bar_size - bar1.reserved));
  }
  void check(const Device& device, const device::DmaCardConfig& card) {
    needs_link(device);
    bar(device, "memory", card.memory, card.bar_address);
  }

  void check_addresses() {
    constexpr WideInt most = WideInt{1} << 57;  // five-level page tables; real hosts have fewer bits
    WideInt total = 0;
    for (const Device& device : scenario_.devices) {
      if (const auto* gpu = std::get_if<device::GpuConfig>(&device.config)) total += gpu->bar_size.count();
      if (const auto* card = std::get_if<device::DmaCardConfig>(&device.config)) total += card->memory.count();
      if (const auto* memory = std::get_if<device::HostMemoryConfig>(&device.config)) total += memory->size.count();
    }
    if (total > most) add("/devices", "memory and BARs together are larger than an address space of 57 bits");
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].end > most) add(ranges_[i].key, "ends above an address space of 57 bits");
      for (std::size_t j = 0; j < ranges_.size(); ++j) {
        const Range &a = ranges_[i], &b = ranges_[j];
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
  std::vector<Range> ranges_;
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
