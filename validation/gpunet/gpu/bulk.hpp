// Copies of a block by Hopper's bulk copy instructions (PTX cp.async.bulk) through shared memory: few large accesses to
// host memory in place of many small ones, which slow down what the processor copies meanwhile. All threads of a block,
// same arguments; addresses and counts are multiples of 16.
#pragma once

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

#include <cstdint>

namespace peerpath::gpunet::gpu {

inline constexpr unsigned bulk_piece = 8192, bulk_depth = 3;  ///< bytes of a piece, and pieces under way
using BulkStage = unsigned char[bulk_depth][bulk_piece];

__device__ inline BulkStage& bulk_stage() {
  __shared__ alignas(128) BulkStage stage;
  return stage;
}

__device__ inline unsigned shared_address(const void* memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(memory));
}

__device__ inline unsigned bulk_size(std::uint64_t at, std::uint64_t count) {
  return static_cast<unsigned>(count - at < bulk_piece ? count - at : bulk_piece);
}

struct alignas(16) BulkUnit {
  std::uint64_t words[2];
};

__device__ inline void copy_piece(unsigned char* to, const unsigned char* from, unsigned size) {
  for (unsigned i = threadIdx.x * 16; i < size; i += blockDim.x * 16)
    *reinterpret_cast<BulkUnit*>(to + i) = *reinterpret_cast<const BulkUnit*>(from + i);
}

/// What the threads did with shared memory, before the engine of bulk copies touches it.
__device__ inline void fence_for_bulk() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

/// From GPU memory to host memory. At the end thread 0 has seen all writes done, so that its release covers them.
__device__ inline void put_in_bulk(unsigned char* host, const unsigned char* local, std::uint64_t count) {
  static_assert(bulk_depth == 3, "the waits below leave two copies under way");
  auto& stage = bulk_stage();
  unsigned n = 0;
  for (std::uint64_t at = 0; at < count; at += bulk_piece, ++n) {
    auto* piece = stage[n % bulk_depth];
    const auto size = bulk_size(at, count);
    if (threadIdx.x == 0 && n >= bulk_depth) asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
    __syncthreads();
    copy_piece(piece, local + at, size);
    fence_for_bulk();
    if (threadIdx.x != 0) continue;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(host + at),
                 "r"(shared_address(piece)), "r"(size)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  __syncthreads();
}

/// Starts piece `n`, by thread 0; the barrier counts its bytes.
__device__ inline void start_piece(std::uint64_t* barrier, const unsigned char* host, std::uint64_t count, unsigned n) {
  const auto at = std::uint64_t{n} * bulk_piece;
  if (at >= count || threadIdx.x != 0) return;
  const auto size = bulk_size(at, count);
  const auto signal = shared_address(barrier);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(signal), "r"(size) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(bulk_stage()[n % bulk_depth])),
               "l"(host + at), "r"(size), "r"(signal)
               : "memory");
}

__device__ inline void wait_for_piece(std::uint64_t* barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}

/// From host memory, of which the block has acquired the flag, to GPU memory.
__device__ inline void get_in_bulk(const unsigned char* host, unsigned char* local, std::uint64_t count) {
  __shared__ alignas(8) std::uint64_t barriers[bulk_depth];
  if (threadIdx.x == 0) {
    for (auto& barrier : barriers)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");  // the flag was read by other means than the data will be
  }
  __syncthreads();
  for (unsigned n = 0; n < bulk_depth; ++n) start_piece(&barriers[n], host, count, n);
  unsigned n = 0;
  for (std::uint64_t at = 0; at < count; at += bulk_piece, ++n) {
    wait_for_piece(&barriers[n % bulk_depth], n / bulk_depth % 2);
    copy_piece(local + at, bulk_stage()[n % bulk_depth], bulk_size(at, count));
    fence_for_bulk();
    start_piece(&barriers[n % bulk_depth], host, count, n + bulk_depth);
  }
  if (threadIdx.x == 0)
    for (auto& barrier : barriers) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)));
  __syncthreads();
}

}  // namespace peerpath::gpunet::gpu

#endif
