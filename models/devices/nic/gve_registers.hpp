// gve's registers: what Linux's in-tree gve driver finds behind BAR0 and BAR2 of a Google Virtual NIC in DQO-RDA mode.
// Layouts: Linux drivers/net/ethernet/google/gve/gve_register.h.
#pragma once

#include "devices/nic/gve_admin_queue.hpp"

namespace peerpath::nic::gve {

inline constexpr std::uint16_t vendor_id = 0x1ae0, device_id = 0x0042;
inline constexpr std::uint8_t revision_id = 1;  ///< 1 and above: admin queue by address, not by page number
inline constexpr std::uint32_t class_code = 0x020000;

/// Registers (big-endian), admin queue, doorbells (little-endian). Whatever a guest writes, nothing is touched outside
/// its memory.
class Registers {
 public:
  Registers(const Offer& offer, GuestMemory& memory, Backend& backend);

  /// BAR0. `value` is the number that the bytes mean in the register's big-endian order. Unknown places read 0.
  std::uint32_t read(std::uint64_t offset, unsigned width);
  void write(std::uint64_t offset, unsigned width, std::uint32_t value);
  /// An access of the admin queue has ended; `data` is what a read brought.
  void delivered(bool success, std::span<const std::uint8_t> data) { commands_.delivered(success, data); }
  /// All DMA before a fence has ended.
  void proceed() { commands_.proceed(); }
  /// The admin queue's life: accesses of an earlier one are not to be delivered.
  std::uint32_t life() const { return commands_.life(); }
  /// BAR2: a doorbell of 4 bytes.
  void doorbell(std::uint64_t offset, std::uint32_t value);

  /// As after power on: queues destroyed, rules forgotten, no driver.
  void reset();
  /// Asks the driver to reset the device; it looks when the management vector fires.
  void request_reset() { reset_requested_ = true; }
  bool running() const { return running_; }
  /// Doorbells of no queue, with impossible values, or that announce more commands than there are slots.
  std::int64_t bad_doorbells() const { return bad_doorbells_; }
  /// Admin commands that were not answered with `passed`.
  std::int64_t refused_commands() const { return commands_.refused(); }

 private:
  void driver_status(std::uint32_t value);
  bool ring(std::uint32_t index, std::uint32_t value);

  Offer offer_;
  Backend& backend_;
  Admin admin_;
  AdminQueue commands_;
  std::int64_t bad_doorbells_ = 0;
  bool running_ = false, is_reset_ = false, reset_requested_ = false;
};

}  // namespace peerpath::nic::gve
