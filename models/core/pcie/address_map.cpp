#include "core/pcie/address_map.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::pcie {
namespace {

constexpr std::uint64_t window_grain =
    1 << 20;  // granularity of bridge windows (PCI-to-PCI Bridge Architecture 3.2.5.8)

std::uint64_t unsigned_of(Bytes n) { return static_cast<std::uint64_t>(n.count()); }
Bytes bytes_of(std::uint64_t n) { return Bytes{static_cast<std::int64_t>(n)}; }

std::uint64_t align(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

std::string hex(std::uint64_t value, int least_digits = 1) {
  std::string digits;
  for (; value != 0 || least_digits > 0; value >>= 4, --least_digits)
    digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
  return digits;
}

std::string range_text(BusAddress base, Bytes size) {
  return "0x" + hex(base.value()) + "..0x" + hex(base.value() + unsigned_of(size) - 1);
}

/// A BAR or the window of a bridge, to be laid out within its parent.
struct Item {
  int function = 0;
  int bar = -1;  ///< place in `bars`; -1: the bridge's window
  std::uint64_t size = 0, alignment = 1, offset = 0;
};

/// The contents of one bridge, or of the root bus.
struct Level {
  std::vector<Item> items;
  std::uint64_t size = 0, alignment = window_grain;
};

/// The items were collected last to first.
void pack(Level& level) {
  std::ranges::reverse(level.items);
  std::ranges::stable_sort(level.items, std::greater{}, &Item::alignment);
  std::uint64_t at = 0;
  for (auto& item : level.items) {
    item.offset = align(at, item.alignment);
    at = item.offset + item.size;
    level.alignment = std::max(level.alignment, item.alignment);
  }
  level.size = align(at, window_grain);
}

}  // namespace

std::string to_string(Bdf bdf) { return hex(bdf.bus, 2) + ":" + hex(bdf.device, 2) + "." + hex(bdf.function); }

AddressMap::AddressMap(std::vector<Function> functions, std::vector<FixedRegion> regions)
    : functions_{std::move(functions)}, regions_{std::move(regions)} {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const auto& f = functions_[i];
    require(f.parent < static_cast<int>(i), "a bridge is listed before the devices below it");
    require(f.parent < 0 || is_bridge(f.parent), "only a bridge has functions below it");
    for (const auto& bar : f.bars) {
      const auto size = unsigned_of(bar.size);
      if (bar.size < Bytes{128} || !std::has_single_bit(size))
        problems_.push_back(f.name + " BAR " + std::to_string(bar.index) + ": its size of " +
                            std::to_string(bar.size.count()) + " B is not a power of two of at least 128 B");
    }
  }
  if (!problems_.empty()) return;
  number_buses();
  std::uint64_t high = high_base.value();
  for (const auto& region : regions_) high = std::max(high, region.base.value() + unsigned_of(region.size));
  place(false, low_base, low_limit);
  place(true, BusAddress{high}, std::nullopt);
  collect();
}

bool AddressMap::is_bridge(int function) const {
  return functions_[static_cast<std::size_t>(function)].kind != FunctionKind::endpoint;
}

void AddressMap::number_buses() {
  int next = 1;
  number_below(-1, 0, next);
  if (next > 256) problems_.push_back("the tree needs " + std::to_string(next) + " buses; there are 256");
}

/// Depth first, as firmware does: a bridge's secondary bus is the next free number, its subordinate bus the last one
/// used below it. Root ports and downstream ports are devices of their bus; a link leads to device 0 only, so several
/// endpoints below one bridge are functions of one device.
std::uint8_t AddressMap::number_below(int bridge, std::uint8_t bus, int& next) {
  std::uint8_t device = 0, function = 0;
  const bool internal_bus =
      bridge < 0 || functions_[static_cast<std::size_t>(bridge)].kind == FunctionKind::upstream_port;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    auto& f = functions_[i];
    if (f.parent != bridge) continue;
    f.bdf = {bus, device, function};
    ++(internal_bus ? device : function);
    if (f.kind == FunctionKind::endpoint) continue;
    f.secondary_bus = static_cast<std::uint8_t>(next++);
    f.subordinate_bus = number_below(static_cast<int>(i), f.secondary_bus, next);
  }
  return static_cast<std::uint8_t>(next - 1);
}

/// Sizes from the leaves up, then addresses from the root down.
void AddressMap::place(bool prefetchable, BusAddress start, std::optional<BusAddress> limit) {
  std::vector<Level> levels(functions_.size() + 1);  // the last one is the root bus
  const auto level_above = [&](const Function& f) -> Level& {
    return f.parent < 0 ? levels.back() : levels[static_cast<std::size_t>(f.parent)];
  };
  for (std::size_t i = functions_.size(); i-- > 0;) {
    const auto& f = functions_[i];
    auto& above = level_above(f);
    for (std::size_t b = f.bars.size(); b-- > 0;) {
      const auto size = unsigned_of(f.bars[b].size);
      if (f.bars[b].prefetchable == prefetchable && !f.bars[b].fixed)
        above.items.push_back({static_cast<int>(i), static_cast<int>(b), size, size, 0});
    }
    if (f.kind == FunctionKind::endpoint) continue;
    pack(levels[i]);
    if (levels[i].size > 0) above.items.push_back({static_cast<int>(i), -1, levels[i].size, levels[i].alignment, 0});
  }
  auto& root = levels.back();
  pack(root);
  const auto base = align(start.value(), root.alignment);
  if (limit && base + root.size > limit->value())
    problems_.push_back("BARs that are not prefetchable need " + std::to_string(root.size) +
                        " B, more than there are in " + range_text(start, *limit - start));
  std::vector<std::uint64_t> bases(functions_.size());
  const auto assign = [&](const Level& level, std::uint64_t at) {
    for (const auto& item : level.items) {
      auto& f = functions_[static_cast<std::size_t>(item.function)];
      if (item.bar >= 0) {
        f.bars[static_cast<std::size_t>(item.bar)].base = BusAddress{at + item.offset};
      } else {
        bases[static_cast<std::size_t>(item.function)] = at + item.offset;
        auto& window = prefetchable ? f.prefetchable : f.memory;
        window = {BusAddress{at + item.offset}, bytes_of(item.size)};
      }
    }
  };
  assign(root, base);
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].kind != FunctionKind::endpoint) assign(levels[i], bases[i]);
  for (auto& f : functions_)
    for (auto& bar : f.bars)
      if (bar.fixed) bar.base = *bar.fixed;
}

void AddressMap::collect() {
  for (std::size_t i = 0; i < functions_.size(); ++i)
    for (const auto& bar : functions_[i].bars)
      ranges_.push_back({bar.base, bar.size, static_cast<int>(i), -1, bar.index});
  for (std::size_t i = 0; i < regions_.size(); ++i)
    if (regions_[i].size > Bytes{0})
      ranges_.push_back({regions_[i].base, regions_[i].size, -1, static_cast<int>(i), 0});
  std::ranges::stable_sort(ranges_, {}, &Range::base);
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    for (std::size_t j = i + 1; j < ranges_.size() && ranges_[j].base - ranges_[i].base < ranges_[i].size; ++j)
      problems_.push_back("addresses overlap: " + owner(ranges_[i]) + " has " +
                          range_text(ranges_[i].base, ranges_[i].size) + ", " + owner(ranges_[j]) + " has " +
                          range_text(ranges_[j].base, ranges_[j].size));
}

std::string AddressMap::owner(const Range& range) const {
  if (range.region >= 0) return regions_[static_cast<std::size_t>(range.region)].name;
  return functions_[static_cast<std::size_t>(range.function)].name + " BAR " + std::to_string(range.bar);
}

Decoded AddressMap::decode(BusAddress address, Bytes size) const {
  auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::base);
  if (after != ranges_.begin()) {
    const auto& range = *std::prev(after);
    const Bytes offset = address - range.base;
    if (offset < range.size) {
      if (offset + size <= range.size) return {Hit{range.function, range.region, range.bar, offset}, {}};
      return {{},
              std::to_string(size.count()) + " B at 0x" + hex(address.value()) + " reach beyond the end of " +
                  owner(range)};
    }
  }
  const Function* deepest = nullptr;  // parents stand first, so the last match is the innermost bridge
  for (const auto& f : functions_)
    for (const auto& window : {f.memory, f.prefetchable})
      if (address >= window.base && address - window.base < window.size) deepest = &f;
  if (deepest != nullptr)
    return {{}, "0x" + hex(address.value()) + " is forwarded by " + deepest->name + ", but no BAR below it holds it"};
  return {{}, "no BAR, bridge window or memory holds 0x" + hex(address.value())};
}

std::optional<int> AddressMap::find(Bdf bdf) const {
  const auto found = std::ranges::find(functions_, bdf, &Function::bdf);
  if (found == functions_.end()) return {};
  return static_cast<int>(found - functions_.begin());
}

std::optional<int> AddressMap::find(std::string_view name) const {
  const auto found = std::ranges::find(functions_, name, &Function::name);
  if (found == functions_.end()) return {};
  return static_cast<int>(found - functions_.begin());
}

BusAddress AddressMap::bar(int function, int index) const {
  const auto& bars = functions_[static_cast<std::size_t>(function)].bars;
  const auto found = std::ranges::find(bars, index, &Bar::index);
  require(found != bars.end(), "a function lacks the BAR that is asked for");
  return found->base;
}

std::vector<FixedRegion> dram_regions(std::string_view name, Bytes size) {
  constexpr Bytes below = 3_GiB;
  constexpr BusAddress above{0x1'0000'0000};
  std::vector<FixedRegion> regions{{std::string{name}, BusAddress{0}, std::min(size, below)}};
  if (size > below) regions.push_back({std::string{name}, above, size - below});
  return regions;
}

}  // namespace peerpath::pcie
