// What an emulated NIC asks of the machine that it is plugged into.
#pragma once

#include <cstdint>
#include <span>

#include "peerpath/base/time.hpp"
#include "peerpath/device/dma.hpp"

namespace peerpath::nic::gve {

/// Transactions, interrupts, a clock and the wire.
class Host : public device::Bus {
 public:
  /// Call `Nic::on_wake` at that time, never from within this call. Replaces the time asked for before; `never`: none.
  virtual void wake_at(Instant when) = 0;
  /// Segments are held back so that others may join them: call `Nic::flush` within a fraction of a millisecond, until
  /// it holds none.
  virtual void flush_soon() = 0;
  /// The message of an MSI-X vector: a posted write behind the completions that it tells of. Nothing hears of its end.
  virtual void interrupt(std::uint32_t vector) = 0;
  /// A frame without FCS, at least 60 bytes. Its first bit leaves at `when`.
  virtual void transmit(std::span<const std::uint8_t> frame, Instant when) = 0;
};

}  // namespace peerpath::nic::gve
