// A threadblock of a GPU, for nvcc (--expt-relaxed-constexpr) and hipcc: all that differs between CUDA and HIP.
#pragma once

#include "peerpath/validation/gpunet/block.hpp"

namespace peerpath::gpunet::gpu {

class Block {
 public:
  __device__ Block(const Net& net, Shared& shared) : net_{net}, shared_{shared} {}

  __device__ unsigned thread() const { return threadIdx.x; }
  __device__ unsigned threads() const { return blockDim.x; }
  __device__ unsigned index() const { return blockIdx.x; }
  __device__ Shared& shared() { return shared_; }
  __device__ const Net& net() const { return net_; }
  __device__ void sync() { __syncthreads(); }
  __device__ bool any(bool vote) { return __syncthreads_or(vote) != 0; }

#if defined(__HIPCC__)
  __device__ std::uint64_t load(const std::uint64_t* word) {
    return __hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
  }
  __device__ void put(std::uint64_t* word, std::uint64_t value) {
    __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  }
  __device__ void publish(std::uint64_t* word, std::uint64_t value) {
    __hip_atomic_store(word, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  }
  __device__ void pause(unsigned looks) {
    if (looks > 16) __builtin_amdgcn_s_sleep(8);
  }
  __device__ std::uint64_t now() { return wall_clock64() * 10; }  // 100 MHz
#else
  __device__ std::uint64_t load(const std::uint64_t* word) {
    std::uint64_t value;
    __nv_atomic_load(word, &value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);
    return value;
  }
  __device__ void put(std::uint64_t* word, std::uint64_t value) {
    __nv_atomic_store(word, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  }
  __device__ void publish(std::uint64_t* word, std::uint64_t value) {
    __nv_atomic_store(word, &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
  }
  /// A look over PCIe takes a microsecond; many blocks that look without a pause fill the link.
  __device__ void pause(unsigned looks) {
    if (looks > 128) __nanosleep(looks < 4096 ? 200 : 2000);
  }
  __device__ std::uint64_t now() {
    std::uint64_t value;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
    return value;
  }
#endif

  __device__ void put_bytes(void* to, const void* from, std::uint64_t count) { copy(to, from, count); }
  __device__ void get_bytes(void* to, const void* from, std::uint64_t count) { copy(to, from, count); }

  template <class T>
  __device__ T add(T* to, T value) {
    return atomicAdd(reinterpret_cast<Addable<T>*>(to), static_cast<Addable<T>>(value));
  }

  __device__ std::uint64_t exchange_if(std::uint64_t* at, std::uint64_t expected, std::uint64_t value) {
    return atomicCAS(reinterpret_cast<unsigned long long*>(at), expected, value);
  }

 private:
  struct alignas(16) Unit {
    std::uint64_t words[2];
  };
  template <class T>
  using Addable = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

  /// Four units a thread under way: what a round trip over PCIe needs of them.
  __device__ void copy(void* to, const void* from, std::uint64_t count) {
    const bool whole = (reinterpret_cast<std::uint64_t>(to) | reinterpret_cast<std::uint64_t>(from)) % 16 == 0;
    const std::uint64_t units = whole ? count / 16 : 0;
    auto* t = static_cast<Unit*>(to);
    const auto* f = static_cast<const Unit*>(from);
    const std::uint64_t step = blockDim.x;
    std::uint64_t i = threadIdx.x;
    for (; i + 3 * step < units; i += 4 * step) {
      const Unit a = f[i], b = f[i + step], c = f[i + 2 * step], d = f[i + 3 * step];
      t[i] = a, t[i + step] = b, t[i + 2 * step] = c, t[i + 3 * step] = d;
    }
    for (; i < units; i += step) t[i] = f[i];
    for (std::uint64_t at = units * 16 + threadIdx.x; at < count; at += step)
      static_cast<unsigned char*>(to)[at] = static_cast<const unsigned char*>(from)[at];
  }

  const Net& net_;
  Shared& shared_;
};
static_assert(Threadblock<Block>);

}  // namespace peerpath::gpunet::gpu
