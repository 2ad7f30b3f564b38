// Numbers in byte arrays: `n` bytes at `at`, with the most (be) or the least (le) significant one first. The caller has
// checked the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace peerpath {

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

}  // namespace peerpath
