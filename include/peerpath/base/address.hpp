// Addresses of three spaces that never convert: mixing them is the zero-copy bug class.
#pragma once

#include <compare>
#include <cstdint>

#include "peerpath/base/units.hpp"

namespace peerpath {

/// A 64-bit address of the space that `Space` names.
template <class Space>
class Address {
 public:
  constexpr Address() = default;
  constexpr explicit Address(std::uint64_t value) : value_{value} {}
  constexpr std::uint64_t value() const { return value_; }
  constexpr auto operator<=>(const Address&) const = default;
  friend constexpr Address operator+(Address a, Bytes n) {
    return Address{a.value_ + static_cast<std::uint64_t>(n.count())};
  }
  friend constexpr Bytes operator-(Address a, Address b) {
    return Bytes{static_cast<std::int64_t>(a.value_ - b.value_)};
  }

 private:
  std::uint64_t value_ = 0;
};

using BusAddress = Address<struct BusSpace>;    ///< what a TLP carries: a BAR, or an IOVA
using HostAddress = Address<struct HostSpace>;  ///< physical address of host DRAM
using GpuAddress = Address<struct GpuSpace>;    ///< offset in a GPU's own memory, behind its BAR

}  // namespace peerpath
