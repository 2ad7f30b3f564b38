// What the checks of a device's options (models/devices/*/check.cpp) are written with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/device/kind.hpp"
#include "scenario/tree.hpp"

namespace peerpath::scenario {

/// A piece of the address space that a device takes, `start` to `end`, where that is known before a run.
struct AddressRange {
  const Device* device;
  std::string key;
  WideInt start, end;
  bool fixed;  ///< by the scenario: what overlaps it is a mistake
};

/// Problems of one device. Keys are paths below the device: "iommu/ways".
class DeviceCheck {
 public:
  DeviceCheck(const Scenario& scenario, const Tree& tree, const Device& device, std::vector<AddressRange>& ranges,
              Problems& out)
      : scenario_{scenario}, tree_{tree}, device_{device}, ranges_{ranges}, out_{out} {}

  const Scenario& scenario() const { return scenario_; }
  const Tree& tree() const { return tree_; }

  void add(std::string_view key, std::string message);
  /// A problem of a traffic entry that the device cannot do.
  void add_traffic(std::size_t entry, std::string_view key, std::string message);
  /// A problem of the device as a whole.
  void add_device(std::string message);

  /// Says so unless `value` is a power of two; `spelt` as in a scenario: "3KiB", "12".
  void power_of_two(std::string_view key, std::int64_t value, const std::string& spelt);
  /// A BAR: a power of two, and where firmware put it (option `bar_address`), if it matters.
  void bar(std::string_view key, Bytes size, const std::optional<BusAddress>& address);
  /// The device takes `size` bytes from the address 0 on.
  void low_memory(std::string_view key, Bytes size);
  /// ACS controls that contradict each other, or need host memory.
  void acs(const std::vector<pcie::AcsControl>& controls);
  /// What `what` to the root complex is answered at its memory.
  void needs_memory(std::string_view key, const std::string& what);
  /// Whether the device's host has memory.
  bool has_memory() const;
  /// Whether the root complex that the device is below, or stands at, has memory of its own.
  bool has_memory_beside() const;
  /// The IOMMU of that root complex; nullptr if it has none.
  const device::IommuConfig* iommu() const;
  /// `count` units whose times are summed, each for as long as the run lasts.
  void units(std::string_view key, std::int64_t count);
  /// 0, or a rate that can be counted with.
  void zero_or_counted(std::string_view key, BitRate rate);

 private:
  std::string at(std::string_view key) const;

  const Scenario& scenario_;
  const Tree& tree_;
  const Device& device_;
  std::vector<AddressRange>& ranges_;
  Problems& out_;
};

}  // namespace peerpath::scenario
