// What host and kernels agree on. Compiled by the host compiler, nvcc and hipcc.
#pragma once

#include <cstdint>

namespace peerpath::gpu_backend {

/// Arguments of every kernel; each says which it uses.
struct KernelArguments {
  std::uint64_t from = 0;     ///< device address
  std::uint64_t to = 0;       ///< device address
  std::uint64_t result = 0;   ///< device address of counters or flags
  std::uint64_t bytes = 0;    ///< of the memory at `from` or `to`
  std::uint64_t stride = 0;   ///< bytes from one request of a chain to the next
  std::uint64_t spacing = 0;  ///< bytes from a chain to the next at the same step
  std::uint64_t steps = 0;    ///< requests of each chain, or rounds
  std::uint64_t seed = 0;     ///< of the pattern
  std::uint32_t chains = 0;   ///< independent ones, one to a warp
  std::uint32_t words = 0;    ///< 4-byte words, so lanes, of one request
  std::uint32_t first = 0;    ///< number of the first round
};

/// Longest that a kernel waits for the host, in looks at the flag: an unanswered one ends instead of hanging the GPU.
inline constexpr std::uint64_t most_looks = 20'000'000;

/// The 4-byte word `index` of the pattern with this seed. Never all ones, the poison of destinations.
constexpr std::uint32_t pattern(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t x = index + seed * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  return static_cast<std::uint32_t>(x) & 0x7fffffffu;
}

}  // namespace peerpath::gpu_backend
