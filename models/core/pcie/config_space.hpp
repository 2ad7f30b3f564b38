// The 4 KiB of registers that software configures a PCIe function by.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace peerpath::pcie {

/// Configuration space of one function: bytes, and for each bit whether software may write it, or clear it by writing 1
/// (PCIe Base Spec 7.5). It keeps what is written; who acts on it asks for it.
///
/// Left out: effects of a write (a function-level reset, retraining a link); registers outside the 4 KiB.
class ConfigSpace {
 public:
  static constexpr int size = 4096;

  ConfigSpace() = default;

  /// Little-endian value of 1, 2 or 4 bytes at an offset aligned to it, as a configuration read returns it.
  std::uint32_t read(int offset, int bytes) const;

  /// A configuration write by software: read-only bits keep their value, write-1-to-clear bits are cleared.
  void write(int offset, int bytes, std::uint32_t value);

  /// Sets a register as the hardware does, masks aside.
  void set(int offset, int bytes, std::uint32_t value);
  /// Declares which bits of a register software may write.
  void allow(int offset, int bytes, std::uint32_t writable);
  /// Declares which bits of a register software clears by writing 1.
  void allow_clear(int offset, int bytes, std::uint32_t clearable);

  /// Adds a capability of `bytes` to the list that starts at 0x34; returns its offset.
  int add_capability(std::uint8_t id, int bytes);
  /// Adds an extended capability to the list that starts at 0x100; returns its offset.
  int add_extended_capability(std::uint16_t id, int version, int bytes);

  /// Walks the lists as software does.
  std::optional<int> find_capability(std::uint8_t id) const;
  std::optional<int> find_extended_capability(std::uint16_t id) const;

 private:
  void store(std::array<std::uint8_t, size>& array, int offset, int bytes, std::uint32_t value);

  std::array<std::uint8_t, size> value_{}, writable_{}, clearable_{};
  int next_ = 0x40, last_ = 0;                     ///< free place and last entry of the capability list
  int next_extended_ = 0x100, last_extended_ = 0;  ///< the same of the extended list
};

}  // namespace peerpath::pcie
