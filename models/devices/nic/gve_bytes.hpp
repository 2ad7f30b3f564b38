// Guest memory, and fields in it: gve's registers and admin structures are big-endian, its descriptors little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace peerpath::nic::gve {

/// Memory of the guest as the device reaches it by DMA. An access that goes outside fails as a whole.
class GuestMemory {
 public:
  virtual ~GuestMemory() = default;
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> into) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

/// `n` bytes at `at`, most significant first. The caller has checked the bounds.
constexpr std::uint64_t load_be(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n; ++i) value = value << 8 | bytes[at + i];
  return value;
}
constexpr void store_be(std::span<std::uint8_t> bytes, std::size_t at, std::size_t n, std::uint64_t value) {
  for (std::size_t i = 0; i < n; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * (n - 1 - i)));
}
constexpr std::uint64_t load_le(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = n; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}
constexpr void store_le(std::span<std::uint8_t> bytes, std::size_t at, std::size_t n, std::uint64_t value) {
  for (std::size_t i = 0; i < n; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace peerpath::nic::gve
