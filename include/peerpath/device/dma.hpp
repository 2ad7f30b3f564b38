// DMA of an emulated device: bytes that move, unlike the transactions of the model, which are lengths.
#pragma once

#include <cstdint>
#include <span>

#include "peerpath/pcie/tlp.hpp"

namespace peerpath::device {

/// Memory as a device reaches it by bus address. An access that fails returns false; part of it may have been done.
class Dma {
 public:
  virtual ~Dma() = default;
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> into, pcie::Purpose purpose) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from, pcie::Purpose purpose) = 0;
};

}  // namespace peerpath::device
