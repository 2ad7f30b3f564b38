// A threadblock of a GPU, for nvcc (--expt-relaxed-constexpr) and hipcc: all that differs between CUDA and HIP.
#pragma once

#include "peerpath/validation/gpunet/block.hpp"
#include "validation/gpunet/gpu/bulk.hpp"

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

  __device__ void put_bytes(void* to, const void* from, std::uint64_t count) {
    copy<Way::put>(static_cast<unsigned char*>(to), static_cast<unsigned char*>(const_cast<void*>(from)), count);
  }
  __device__ void get_bytes(void* to, const void* from, std::uint64_t count) {
    copy<Way::get>(static_cast<unsigned char*>(const_cast<void*>(from)), static_cast<unsigned char*>(to), count);
  }

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

  enum class Way { put, get };
  static constexpr std::uint64_t least_bulk = 8192;  ///< of one copy; less is done before bulk copies have started

  /// A unit from or to memory of the GPU that is aligned to a Word only.
  template <class Word>
  __device__ static Unit gather(const unsigned char* local) {
    Unit unit;
    for (unsigned k = 0; k < sizeof(Unit) / sizeof(Word); ++k)
      reinterpret_cast<Word*>(&unit)[k] = reinterpret_cast<const Word*>(local)[k];
    return unit;
  }
  template <class Word>
  __device__ static void scatter(unsigned char* local, Unit unit) {
    for (unsigned k = 0; k < sizeof(Unit) / sizeof(Word); ++k)
      reinterpret_cast<Word*>(local)[k] = reinterpret_cast<const Word*>(&unit)[k];
  }

  /// Four units a thread under way: what a round trip over PCIe needs of them.
  template <Way way, class Word>
  __device__ static void copy_units(Unit* host, unsigned char* local, std::uint64_t units) {
    const std::uint64_t step = blockDim.x;
    std::uint64_t i = threadIdx.x;
    for (; i + 3 * step < units; i += 4 * step) {
      Unit four[4];
      for (unsigned k = 0; k < 4; ++k)
        four[k] = way == Way::get ? host[i + k * step] : gather<Word>(local + 16 * (i + k * step));
      for (unsigned k = 0; k < 4; ++k)
        if constexpr (way == Way::get)
          scatter<Word>(local + 16 * (i + k * step), four[k]);
        else
          host[i + k * step] = four[k];
    }
    for (; i < units; i += step)
      if constexpr (way == Way::get)
        scatter<Word>(local + 16 * i, host[i]);
      else
        host[i] = gather<Word>(local + 16 * i);
  }

  template <Way way>
  __device__ static void copy_bytes(unsigned char* host, unsigned char* local, std::uint64_t count) {
    for (std::uint64_t at = threadIdx.x; at < count; at += blockDim.x)
      if constexpr (way == Way::get)
        local[at] = host[at];
      else
        host[at] = local[at];
  }

  /// Host memory is accessed by whole units, whatever the alignment of the GPU's own, where an access costs little.
  template <Way way>
  __device__ static void copy(unsigned char* host, unsigned char* local, std::uint64_t count) {
    const auto place = reinterpret_cast<std::uint64_t>(host);
    const std::uint64_t before = (16 - place % 16) % 16;
    const std::uint64_t head = before < count ? before : count;
    const std::uint64_t units = (count - head) / 16;
    copy_bytes<way>(host, local, head);
    auto* first = reinterpret_cast<Unit*>(host + head);
    const auto alignment = reinterpret_cast<std::uint64_t>(local + head) % 16;
    if (alignment == 0 && bulk_copies && units * 16 >= least_bulk)
      copy_in_bulk<way>(host + head, local + head, 16 * units);
    else if (alignment == 0)
      copy_units<way, Unit>(first, local + head, units);
    else if (alignment % 4 == 0)
      copy_units<way, unsigned>(first, local + head, units);
    else
      copy_units<way, unsigned char>(first, local + head, units);
    const auto done = head + 16 * units;
    copy_bytes<way>(host + done, local + done, count - done);
  }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static constexpr bool bulk_copies = true;

  template <Way way>
  __device__ static void copy_in_bulk(unsigned char* host, unsigned char* local, std::uint64_t count) {
    if constexpr (way == Way::put)
      put_in_bulk(host, local, count);
    else
      get_in_bulk(host, local, count);
  }
#else
  static constexpr bool bulk_copies = false;

  template <Way way>
  __device__ static void copy_in_bulk(unsigned char*, unsigned char*, std::uint64_t) {}
#endif

  const Net& net_;
  Shared& shared_;
};
static_assert(Threadblock<Block>);

}  // namespace peerpath::gpunet::gpu
