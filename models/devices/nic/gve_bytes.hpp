// Guest memory; fields in it: gve's registers and admin structures are big-endian, its descriptors little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::nic::gve {

/// Memory of the guest as the device reaches it by DMA. An access that goes outside fails as a whole.
class GuestMemory {
 public:
  virtual ~GuestMemory() = default;
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> into) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

}  // namespace peerpath::nic::gve
