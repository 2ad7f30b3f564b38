// The bytes that are sent: a function of seed and offset, so either end can make any part of them.
#pragma once

#include <cstdint>
#include <span>

namespace peerpath::agent {

/// Fills `out` with the stream's bytes from `offset` on.
void fill_pattern(std::uint64_t seed, std::uint64_t offset, std::span<unsigned char> out);

/// The offset in the stream of the first byte of `in`, which starts at `offset`, that is not the pattern's; -1 if none.
std::int64_t first_difference(std::uint64_t seed, std::uint64_t offset, std::span<const unsigned char> in);

}  // namespace peerpath::agent
