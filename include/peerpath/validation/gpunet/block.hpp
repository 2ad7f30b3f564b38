// What the socket calls need of a threadblock. validation/gpunet/gpu/block.hpp is one of a GPU, for nvcc and hipcc;
// validation/gpunet/emulation/block.hpp is a group of CPU threads.
#pragma once

#include <concepts>
#include <cstdint>

#include "peerpath/validation/gpunet/memory.hpp"

namespace peerpath::gpunet {

/// Memory that the threads of a block share.
struct Shared {
  std::uint32_t line[entry_words];
  std::int64_t result;
  std::uint64_t words[4];
  alignas(16) unsigned char scratch[20480];  ///< the application's own
};

/// `put` and `put_bytes` may arrive in any order; `publish` arrives after what any thread put before the last `sync`.
template <class T>
concept Threadblock = requires(T block, std::uint64_t* word, void* to, const void* from) {
  { block.thread() } -> std::convertible_to<unsigned>;
  { block.threads() } -> std::convertible_to<unsigned>;
  { block.index() } -> std::convertible_to<unsigned>;
  { block.shared() } -> std::same_as<Shared&>;
  { block.net() } -> std::same_as<const Net&>;
  block.sync();
  { block.any(true) } -> std::same_as<bool>;            // of all threads; syncs
  { block.load(word) } -> std::same_as<std::uint64_t>;  // acquire, system scope
  block.put(word, std::uint64_t{});                     // relaxed, system scope
  block.publish(word, std::uint64_t{});                 // release, system scope
  block.put_bytes(to, from, std::uint64_t{});           // by all threads, to host memory; `to` is aligned to 16
  block.get_bytes(to, from, std::uint64_t{});           // by all threads, from host memory; `from` is aligned to 16
  block.pause(0u);                                      // between two looks, of which so many were in vain
  { block.now() } -> std::same_as<std::uint64_t>;       // ns
  { block.add(word, std::uint64_t{}) } -> std::same_as<std::uint64_t>;  // atomic, in GPU or shared memory
  { block.exchange_if(word, std::uint64_t{}, std::uint64_t{}) } -> std::same_as<std::uint64_t>;  // likewise
};

}  // namespace peerpath::gpunet
