// What an emulated NIC asks of the machine that it is plugged into.
#pragma once

#include <cstdint>
#include <span>

#include "peerpath/device/dma.hpp"

namespace peerpath::nic::gve {

/// DMA, interrupts and the wire. Bytes really move here.
class Host : public device::Dma {
 public:
  /// A look that is not a transaction of its own: the NIC reads these bytes again when it takes the packet in.
  virtual bool peek(std::uint64_t address, std::span<std::uint8_t> into) = 0;
  /// Writes an entry of a ring such that whoever polls sees its bytes `flag_at` and the next after all others.
  virtual bool publish(std::uint64_t address, std::span<const std::uint8_t> entry, std::size_t flag_at,
                       pcie::Purpose purpose) = 0;
  /// Segments are held back so that others may join them: call `Nic::flush` within a fraction of a millisecond.
  virtual void flush_soon() = 0;
  virtual void interrupt(std::uint32_t vector) = 0;
  /// Asked between pieces of work: whether there is time for another one now.
  virtual bool go_on() = 0;
  /// A frame without FCS, at least 60 bytes.
  virtual void transmit(std::span<const std::uint8_t> frame) = 0;
};

}  // namespace peerpath::nic::gve
