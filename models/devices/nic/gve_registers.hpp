// gve's registers: what Linux's in-tree gve driver finds behind BAR0 and BAR2 of a Google Virtual NIC in DQO-RDA mode.
// Layouts: Linux drivers/net/ethernet/google/gve/gve_register.h.
#pragma once

#include "devices/nic/gve_admin.hpp"

namespace peerpath::nic::gve {

inline constexpr std::uint16_t vendor_id = 0x1ae0, device_id = 0x0042;
inline constexpr std::uint8_t revision_id = 1;  ///< 1 and above: admin queue by address, not by page number
inline constexpr std::uint32_t class_code = 0x020000;

/// Registers (big-endian), admin queue, doorbells (little-endian). Admin commands are executed inside the write of
/// their doorbell, so the driver's first look finds them done. Whatever a guest writes, nothing is touched outside its
/// memory.
class Registers {
 public:
  Registers(const Offer& offer, GuestMemory& memory, Backend& backend);

  /// BAR0. `value` is the number that the bytes mean in the register's big-endian order. Unknown places read 0.
  std::uint32_t read(std::uint64_t offset, unsigned width);
  void write(std::uint64_t offset, unsigned width, std::uint32_t value);
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
  std::int64_t refused_commands() const { return refused_commands_; }
  const Admin& admin() const { return admin_; }

 private:
  void driver_status(std::uint32_t value);
  void run_commands(std::uint32_t up_to);
  bool ring(std::uint32_t index, std::uint32_t value);

  Offer offer_;
  GuestMemory& memory_;
  Backend& backend_;
  Admin admin_;
  std::uint64_t queue_address_ = 0;
  std::uint32_t queue_length_ = 0;
  std::uint32_t events_ = 0;  ///< commands done
  std::int64_t bad_doorbells_ = 0, refused_commands_ = 0;
  bool running_ = false, is_reset_ = false, reset_requested_ = false;
};

}  // namespace peerpath::nic::gve
