// The proxy's side of shared words, and time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace peerpath::gpunet {

/// Pairs with the GPU's release, or reads a word that is valid by itself.
inline std::uint64_t load(const std::uint64_t* word) {
  return std::atomic_ref{*const_cast<std::uint64_t*>(word)}.load(std::memory_order_acquire);
}

/// What was written before is visible to whoever sees this word. On x86 a store keeps that order towards PCIe as well.
inline void store(std::uint64_t* word, std::uint64_t value) {
  std::atomic_ref{*word}.store(value, std::memory_order_release);
}

inline std::uint64_t elapsed_ns(std::chrono::steady_clock::time_point since) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - since).count());
}

}  // namespace peerpath::gpunet
