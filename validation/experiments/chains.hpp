// Chains of dependent accesses that a kernel makes: one warp a chain, each lane a word of its line.
#pragma once

#include <algorithm>

#include "validation/experiments/experiment.hpp"

namespace peerpath::experiments {

inline constexpr std::uint64_t line_size = 128;  ///< bytes
inline constexpr std::uint32_t warp_size = 32;   ///< of CUDA; HIP's 64 lanes run the same chains, half of them idle

struct Grid {
  unsigned blocks, threads;
};

/// Spread over the multiprocessors.
inline Grid grid_for(std::int64_t chains) {
  const unsigned warps = chains <= 2048 ? 1 : 4;
  return {static_cast<unsigned>((chains + warps - 1) / warps), warps * warp_size};
}

/// Fewer steps where each moves much.
inline std::uint64_t steps_for(std::int64_t chains) {
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>((1 << 18) / chains, 32, 256));
}

/// Chains over all of a bench's host memory, `request` bytes an access.
inline gpu::KernelArguments chains_of(const Bench& bench, std::int64_t chains, std::int64_t request = 128) {
  return {.from = bench.host.device_at(),
          .to = bench.host_target.device_at(),
          .result = bench.result_at(),
          .bytes = bench.host.size(),
          .stride = line_size * static_cast<std::uint64_t>(chains),
          .spacing = line_size,
          .seed = host_seed,
          .chains = static_cast<std::uint32_t>(chains),
          .words = static_cast<std::uint32_t>(request / 4)};
}

}  // namespace peerpath::experiments
