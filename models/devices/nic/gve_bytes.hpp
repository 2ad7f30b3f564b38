// Guest memory; fields in it: gve's registers and admin structures are big-endian, its descriptors little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::nic::gve {

/// Memory of the guest as the admin queue reaches it. Each access ends with `Registers::delivered`, in order of the
/// calls and never from within one.
class GuestMemory {
 public:
  virtual ~GuestMemory() = default;
  virtual void read(std::uint64_t address, std::size_t size) = 0;
  virtual void write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

}  // namespace peerpath::nic::gve
