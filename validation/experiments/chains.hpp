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

/// So many that it takes milliseconds where there are many chains: their rate is even only over that.
inline std::uint64_t long_steps_for(std::int64_t chains) { return 4 * steps_for(chains); }

/// What chains that read walk over, again and again. Thousands of chains drift apart by hundreds of steps, so that over
/// a large buffer nearly every access is in another page, and what that costs is of the pages, not of the link.
inline std::uint64_t read_window(const Effort& effort) { return std::min(effort.largest, std::size_t{16} << 20); }

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

/// Chains that read.
inline gpu::KernelArguments reading_chains(const Bench& bench, std::int64_t chains, std::int64_t request = 128) {
  auto a = chains_of(bench, chains, request);
  a.bytes = read_window({.largest = bench.host.size()});
  return a;
}

/// Whether the last places that storing chains wrote hold the pattern. `words`: where they store.
inline bool places_right(const std::uint32_t* words, const gpu::KernelArguments& a) {
  for (std::uint64_t step = 0; step < std::min<std::uint64_t>(a.steps, 8); ++step)
    for (std::uint64_t chain = 0; chain < a.chains; ++chain) {
      const auto at = (((a.first - 1 - step) * a.stride + chain * a.spacing) & (a.bytes - 1)) / 4;
      for (std::uint64_t word = at; word < at + a.words; ++word)
        if (words[word] != gpu::pattern(word, a.seed)) return false;
    }
  return true;
}

}  // namespace peerpath::experiments
