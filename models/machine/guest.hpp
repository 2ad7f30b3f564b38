// Interface of a guest: its memory, its interrupts and its network frames.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "peerpath/base/id.hpp"

namespace peerpath::machine {

using DeviceNumber = Id<struct EmulatedDeviceTag>;  ///< in the order in which they were plugged in

/// A message signalled interrupt: `data` is written to `address`.
struct Message {
  std::uint64_t address = 0;
  std::uint32_t data = 0;
};

/// Addresses are bus addresses as `device` uses them. No call may lead to a call of the machine.
class Guest {
 public:
  virtual ~Guest() = default;
  /// Whether all of these addresses are the guest's memory, for this device. Asked when a request is made.
  virtual bool reachable(DeviceNumber device, std::uint64_t address, std::uint64_t size, bool write) = 0;
  /// Bytes of one request TLP move, at the moment at which it arrives at the memory. False: the access failed.
  virtual bool read(DeviceNumber device, std::uint64_t address, std::span<std::uint8_t> into) = 0;
  virtual bool write(DeviceNumber device, std::uint64_t address, std::span<const std::uint8_t> from) = 0;
  /// Message of an MSI-X vector as it is when the device sends it; nothing if the guest has not enabled it.
  virtual std::optional<Message> message(DeviceNumber device, std::uint32_t vector) = 0;
  /// A message has arrived at the host.
  virtual void interrupt(DeviceNumber device, const Message& message) = 0;
  /// The first bit of a frame without FCS leaves a NIC that has no cable in the scenario.
  virtual void transmit(DeviceNumber device, std::span<const std::uint8_t> frame) = 0;
};

}  // namespace peerpath::machine
