// Who owns which bus address and which bus number: what firmware does when it enumerates a PCIe tree.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/address.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::pcie {

/// Bus, device and function number: the ID of a requester or completer (PCIe Base Spec 2.2.4.2).
struct Bdf {
  std::uint8_t bus = 0, device = 0, function = 0;
  constexpr auto operator<=>(const Bdf&) const = default;
  /// As it stands in a TLP: bus 15:8, device 7:3, function 2:0.
  constexpr std::uint16_t id() const { return static_cast<std::uint16_t>(bus << 8 | device << 3 | function); }
};

/// As lspci writes it: 03:00.0.
std::string to_string(Bdf bdf);

/// What a function is in the tree. A switch is one upstream port and, below it, its downstream ports.
enum class FunctionKind : std::uint8_t { root_port, upstream_port, downstream_port, endpoint };

/// A base address register. Prefetchable ones are 64 bits wide and go above 4 GiB, the others below.
struct Bar {
  int index = 0;  ///< of its first register, 0..5
  Bytes size{};   ///< a power of two, at least 128 B (PCIe Base Spec 7.5.1.2.1)
  bool prefetchable = false;
  std::optional<BusAddress> fixed{};  ///< placed by hand; else aligned to its size where there is room
  BusAddress base{};                  ///< assigned
};

/// Addresses that a bridge forwards downstream: [base, base + size); size 0 is a closed window.
struct BridgeWindow {
  BusAddress base{};
  Bytes size{};
};

/// One function of the tree. A parent stands before its children in the list.
struct Function {
  std::string name;
  FunctionKind kind = FunctionKind::endpoint;
  int parent = -1;  ///< index of the bridge above it; -1: on the root bus
  std::vector<Bar> bars{};

  Bdf bdf{};                                            ///< assigned
  std::uint8_t secondary_bus = 0, subordinate_bus = 0;  ///< assigned, of bridges
  BridgeWindow memory{}, prefetchable{};                ///< assigned, of bridges
};

/// Addresses that are no BAR: host DRAM, the interrupt range.
struct FixedRegion {
  std::string name;
  BusAddress base{};
  Bytes size{};
};

/// What holds an address: a BAR of a function, or a fixed region.
struct Hit {
  int function = -1;  ///< index, or -1
  int region = -1;    ///< index, or -1
  int bar = 0;        ///< index of the register
  Bytes offset{};     ///< from the start of the BAR or region
};

/// The answer to a request for an address: a hit, or Unsupported Request with its reason.
struct Decoded {
  std::optional<Hit> hit;
  std::string unsupported;  ///< why, when there is no hit
};

/// Bus numbers, BAR addresses and bridge windows of one tree.
///
/// BARs are aligned to their size and bridge windows to 1 MiB; within a bridge the largest come first, so that little
/// is lost. BARs that are not prefetchable lie between `low_base` and `low_limit`; prefetchable ones start at
/// `high_base` or at the end of the highest fixed region, whichever is higher.
class AddressMap {
 public:
  static constexpr BusAddress low_base{0xc000'0000};
  static constexpr BusAddress low_limit{0xfec0'0000};  ///< chipset registers from here
  static constexpr BusAddress high_base{0x100'0000'0000};

  AddressMap(std::vector<Function> functions, std::vector<FixedRegion> regions);

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<FixedRegion>& regions() const { return regions_; }

  /// One sentence for each thing that is wrong: two owners of an address (both are named), a BAR of a size that is no
  /// power of two, no room, more than 256 buses. Empty when the map can be used.
  const std::vector<std::string>& problems() const { return problems_; }

  /// Who takes a request of `size` bytes at `address`.
  Decoded decode(BusAddress address, Bytes size) const;

  /// Index of the function with this ID (configuration requests, completions), if there is one.
  std::optional<int> find(Bdf bdf) const;
  std::optional<int> find(std::string_view name) const;

  /// Address of a BAR of a function.
  BusAddress bar(int function, int index) const;

 private:
  struct Range {
    BusAddress base{};
    Bytes size{};
    int function = -1, region = -1, bar = 0;
  };

  void number_buses();
  std::uint8_t number_below(int bridge, std::uint8_t bus, int& next);
  void place(bool prefetchable, BusAddress start, std::optional<BusAddress> limit);
  void collect();
  std::string owner(const Range& range) const;
  bool is_bridge(int function) const;

  std::vector<Function> functions_;
  std::vector<FixedRegion> regions_;
  std::vector<Range> ranges_;  ///< sorted by base
  std::vector<std::string> problems_;
};

/// DRAM of `size` as a PC maps it: up to 3 GiB from 0, the rest from 4 GiB on.
std::vector<FixedRegion> dram_regions(std::string_view name, Bytes size);

}  // namespace peerpath::pcie
