#include "validation/agent/pattern.hpp"

#include "peerpath/base/random.hpp"

namespace peerpath::agent {
namespace {

/// Calls use(index, byte) for each byte of a part of the stream until it says false; words of 8 bytes are mixed once.
template <class Use>
void each_byte(std::uint64_t seed, std::uint64_t offset, std::size_t size, Use use) {
  const auto stream = mix(seed);
  std::uint64_t word = mix(stream ^ (offset / 8));
  for (std::size_t i = 0; i < size; ++i, ++offset) {
    if (offset % 8 == 0) word = mix(stream ^ (offset / 8));
    if (!use(i, static_cast<unsigned char>(word >> (offset % 8 * 8)))) return;
  }
}

}  // namespace

void fill_pattern(std::uint64_t seed, std::uint64_t offset, std::span<unsigned char> out) {
  each_byte(seed, offset, out.size(), [&](std::size_t i, unsigned char byte) {
    out[i] = byte;
    return true;
  });
}

std::int64_t first_difference(std::uint64_t seed, std::uint64_t offset, std::span<const unsigned char> in) {
  std::int64_t found = -1;
  each_byte(seed, offset, in.size(), [&](std::size_t i, unsigned char byte) {
    if (in[i] != byte) found = static_cast<std::int64_t>(offset + i);
    return found < 0;
  });
  return found;
}

}  // namespace peerpath::agent
