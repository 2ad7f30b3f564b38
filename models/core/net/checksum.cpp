#include "peerpath/net/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace peerpath::net {
namespace {

constexpr std::uint16_t fold(std::uint64_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

}  // namespace

/// The sum does not depend on the order of bytes within words but for a swap of the result (RFC 1071 section 2 B), so
/// whole machine words are added as they lie in memory.
void InternetChecksum::add(std::span<const std::uint8_t> bytes) {
  std::uint64_t native = 0;
  std::size_t i = 0;
  for (; bytes.size() - i >= 32; i += 32) {
    std::array<std::uint32_t, 8> words;
    std::memcpy(words.data(), bytes.data() + i, sizeof words);
    for (const auto word : words) native += word;
  }
  for (; bytes.size() - i >= 4; i += 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    native += word;
  }
  const std::uint16_t folded = fold(native);
  sum_ +=
      std::endian::native == std::endian::little ? static_cast<unsigned>((folded & 0xff) << 8 | folded >> 8) : folded;
  for (; i + 1 < bytes.size(); i += 2) sum_ += static_cast<unsigned>(bytes[i] << 8 | bytes[i + 1]);
  if (i < bytes.size()) sum_ += static_cast<unsigned>(bytes[i] << 8);
}

std::uint16_t InternetChecksum::folded() const { return fold(sum_); }

}  // namespace peerpath::net
