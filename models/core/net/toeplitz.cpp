#include "peerpath/net/toeplitz.hpp"

#include <algorithm>

namespace peerpath::net {
namespace {

/// The 32 bits of the key that start at bit `offset`.
std::uint32_t key_window(const ToeplitzKey& key, std::size_t offset) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t at = offset / 8 + i;
    bits = bits << 8 | (at < key.size() ? key[at] : 0u);
  }
  return static_cast<std::uint32_t>(bits >> (8 - offset % 8));
}

}  // namespace

Toeplitz::Toeplitz(const ToeplitzKey& key) {
  for (std::size_t byte = 0; byte < toeplitz_input_max; ++byte) {
    // The hash is linear: a value adds its lowest bit to the value without it.
    table_[byte][0] = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      const auto window = key_window(key, byte * 8 + 7 - bit);
      for (unsigned value = 1u << bit; value < 256; value += 2u << bit) table_[byte][value] = window;
    }
    for (unsigned value = 1; value < 256; ++value) table_[byte][value] ^= table_[byte][value & (value - 1)];
  }
}

std::uint32_t Toeplitz::operator()(std::span<const std::uint8_t> input) const {
  std::uint32_t hash = 0;
  const std::size_t n = std::min(input.size(), toeplitz_input_max);
  for (std::size_t i = 0; i < n; ++i) hash ^= table_[i][input[i]];
  return hash;
}

std::uint32_t Toeplitz::operator()(const FlowKey& key, bool ports) const {
  if (key.layer3 == Layer3::other) return 0;
  const std::size_t address = key.layer3 == Layer3::ipv4 ? 4 : 16;
  std::uint32_t hash = 0;
  auto column = table_.begin();
  const auto add = [&](unsigned byte) { hash ^= (*column++)[byte & 0xff]; };
  for (std::size_t i = 0; i < address; ++i) add(key.source[i]);
  for (std::size_t i = 0; i < address; ++i) add(key.destination[i]);
  if (ports)
    for (const unsigned port : {key.source_port, key.destination_port}) {
      add(port >> 8);
      add(port);
    }
  return hash;
}

}  // namespace peerpath::net
