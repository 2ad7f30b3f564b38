// Little-endian fields in byte arrays, as virtio and the GPU's own descriptors have them. The caller checks the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace peerpath::gpu {

constexpr std::uint64_t load_le(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = n; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}
constexpr void store_le(std::span<std::uint8_t> bytes, std::size_t at, std::size_t n, std::uint64_t value) {
  for (std::size_t i = 0; i < n; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace peerpath::gpu
