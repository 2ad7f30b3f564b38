#include "scenario/check/device_check.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

bool is_power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

// A power of two in the spelling of the wrong value: a size, or a plain number.
std::string near(const std::string& spelt, std::uint64_t value) {
  const bool size = !spelt.empty() && spelt.back() == 'B';
  return size ? to_text(Bytes{static_cast<std::int64_t>(value)}) : std::to_string(value);
}

}  // namespace

std::string DeviceCheck::at(std::string_view key) const {
  return join("/devices", device_.name) + "/" + std::string{key};
}

void DeviceCheck::add(std::string_view key, std::string message) {
  out_.push_back({"", 0, 0, at(key), std::move(message)});
}

void DeviceCheck::add_traffic(std::size_t entry, std::string_view key, std::string message) {
  out_.push_back({"", 0, 0, join("/traffic", entry) + "/" + std::string{key}, std::move(message)});
}

void DeviceCheck::add_device(std::string message) {
  out_.push_back({"", 0, 0, join("/devices", device_.name), std::move(message)});
}

void DeviceCheck::power_of_two(std::string_view key, std::int64_t value, const std::string& spelt) {
  if (is_power_of_two(value)) return;
  const auto down = std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1)));
  add(key, spelt + " is not a power of two; the nearest are " + near(spelt, down) + " and " + near(spelt, down * 2));
}

void DeviceCheck::bar(std::string_view key, Bytes size, const std::optional<BusAddress>& address) {
  power_of_two(key, size.count(), to_text(size));
  if (!address || !is_power_of_two(size.count())) return;
  const auto mask = static_cast<std::uint64_t>(size.count()) - 1;
  if ((address->value() & mask) != 0)
    add("bar_address", to_text(*address) + " is not a multiple of the BAR's size, " + to_text(size));
  ranges_.push_back({&device_, at("bar_address"), static_cast<WideInt>(address->value()),
                     static_cast<WideInt>(address->value()) + size.count(), true});
}

void DeviceCheck::low_memory(std::string_view key, Bytes size) {
  ranges_.push_back({&device_, at(key), 0, size.count(), false});
}

void DeviceCheck::acs(const std::vector<pcie::AcsControl>& controls) {
  if (const auto why = contradiction(controls)) add("acs", *why);
  if (std::ranges::find(controls, pcie::AcsControl::none) == controls.end()) needs_memory("acs", "ACS sends");
}

bool DeviceCheck::has_memory() const { return !tree_.all_of<device::HostMemoryConfig>(host_of(device_.name)).empty(); }

bool DeviceCheck::has_memory_beside() const {
  return !tree_.standing_at<device::HostMemoryConfig>(tree_.root_of(device_.name)).empty();
}

// The host memory's node in the fabric answers requests that the root complex refuses.
void DeviceCheck::needs_memory(std::string_view key, const std::string& what) {
  if (!has_memory_beside())
    add(key, "what " + what + " to the root complex is answered at its memory; needs a host_memory");
}

const device::IommuConfig* DeviceCheck::iommu() const { return iommu_of(tree_, device_.name); }

void DeviceCheck::units(std::string_view key, std::int64_t count) {
  const WideInt most = std::numeric_limits<std::int64_t>::max();
  const WideInt whole = longest_run(scenario_).count();
  if (whole * count <= most) return;
  const Duration all{narrow(most / count) / 1'000'000'000'000 * 1'000'000'000'000};
  add(key, std::to_string(count) + " operations over the whole run, " + to_text(Duration{narrow(whole)}) +
               ", exceed the largest sum of times; for this number, " + to_text(all) + " at most");
}

void DeviceCheck::zero_or_counted(std::string_view key, BitRate rate) {
  if (rate == BitRate{} || rate >= device::least_rate) return;
  add(key, to_text(rate) + " is below the minimum, " + to_text(device::least_rate) + "; 0bps: no limit");
}

}  // namespace peerpath::scenario
