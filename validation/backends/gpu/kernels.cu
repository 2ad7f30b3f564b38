// The kernels of the experiments, for nvcc (--expt-relaxed-constexpr) and hipcc alike. Addresses of host memory are
// read and written through volatile pointers, so that each access is a request of its own.
#include "validation/backends/gpu/kernel_arguments.hpp"

using peerpath::gpu_backend::KernelArguments;
using peerpath::gpu_backend::pattern;

namespace {

using Word = volatile std::uint32_t;

__device__ std::uint64_t thread_number() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t thread_count() { return std::uint64_t{gridDim.x} * blockDim.x; }
__device__ Word* word_at(std::uint64_t address) { return reinterpret_cast<Word*>(address); }

/// Offset of the request that chain `chain` makes at a step; `bytes` is a power of two.
__device__ std::uint64_t offset(const KernelArguments& a, std::uint64_t chain, std::uint64_t step) {
  return (step * a.stride + chain * a.spacing) & (a.bytes - 1);  // a division would take longer than a store
}

/// Waits until the word holds `value`; gives up after the most looks.
__device__ bool wait_for(Word* word, std::uint32_t value) {
  for (std::uint64_t look = 0; look < peerpath::gpu_backend::most_looks; ++look)
    if (*word == value) return true;
  return false;
}

}  // namespace

/// Writes the pattern to bytes at `to`.
extern "C" __global__ void fill_pattern(KernelArguments a) {
  for (auto i = thread_number(); i < a.bytes / 4; i += thread_count()) word_at(a.to)[i] = pattern(i, a.seed);
}

/// Counts, at `result`, the words of the bytes at `from` that are not the pattern.
extern "C" __global__ void count_wrong(KernelArguments a) {
  unsigned wrong = 0;
  for (auto i = thread_number(); i < a.bytes / 4; i += thread_count())
    wrong += word_at(a.from)[i] != pattern(i, a.seed) ? 1 : 0;
  if (wrong) atomicAdd(reinterpret_cast<unsigned*>(a.result), wrong);
}

/// Copies bytes, a multiple of 16, in units of 16.
extern "C" __global__ void copy(KernelArguments a) {
  const auto* from = reinterpret_cast<const uint4*>(a.from);
  auto* to = reinterpret_cast<uint4*>(a.to);
  for (auto i = thread_number(); i < a.bytes / 16; i += thread_count()) to[i] = from[i];
}

/// One chain of dependent reads a warp: each lane below `words` reads its word of the request, and goes on only if it
/// was right, so that one request of a chain is outstanding at a time. Adds wrong words at `result`.
extern "C" __global__ void read_chains(KernelArguments a) {
  const auto chain = thread_number() / warpSize;
  const auto lane = threadIdx.x % warpSize;
  if (chain >= a.chains || lane >= a.words) return;
  unsigned wrong = 0;
  for (std::uint64_t step = 0; step < a.steps; ++step) {
    const auto at = offset(a, chain, step + a.first) / 4 + lane;
    if (word_at(a.from)[at] == pattern(at, a.seed)) continue;
    ++wrong;
    break;
  }
  if (wrong) atomicAdd(reinterpret_cast<unsigned*>(a.result), wrong);
}

/// The same places written, without waiting: each lane below `words` writes its word of each request.
extern "C" __global__ void write_places(KernelArguments a) {
  const auto chain = thread_number() / warpSize;
  const auto lane = threadIdx.x % warpSize;
  if (chain >= a.chains || lane >= a.words) return;
  for (std::uint64_t step = 0; step < a.steps; ++step) {
    const auto at = offset(a, chain, step + a.first) / 4 + lane;
    word_at(a.to)[at] = pattern(at, a.seed);
  }
}

/// One chain of dependent atomic additions a warp, each chain on a word of its own that holds `first`.
extern "C" __global__ void add_chains(KernelArguments a) {
  const auto chain = thread_number() / warpSize;
  if (chain >= a.chains || threadIdx.x % warpSize != 0) return;
  auto* word = reinterpret_cast<unsigned*>(a.to + chain * a.spacing);
  unsigned value = 1;
  for (unsigned step = 0; step < a.steps; ++step)
    value =
        atomicAdd_system(word, value) == a.first + step ? 1 : 2;  // always 1, but known only when the answer is here
}

/// Holds the stream back until the word at `from` is `first`.
extern "C" __global__ void hold(KernelArguments a) { wait_for(word_at(a.from), a.first); }

/// Answers `steps` rounds: waits for each number at `from`, then writes it at `to`.
extern "C" __global__ void answer(KernelArguments a) {
  for (std::uint32_t round = 0; round < a.steps; ++round) {
    if (!wait_for(word_at(a.from), a.first + round)) return;
    *word_at(a.to) = a.first + round;
    __threadfence_system();
  }
}

/// Writes `first` at `to`.
extern "C" __global__ void ring(KernelArguments a) { *word_at(a.to) = a.first; }
