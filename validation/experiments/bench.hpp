// What experiments work with: for each GPU a bench of buffers, streams and flags, filled with a known pattern.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "validation/backends/gpu/gpu.hpp"
#include "validation/experiments/nic_peer.hpp"

namespace peerpath::experiments {

namespace gpu = gpu_backend;

/// How much is measured.
struct Effort {
  std::size_t largest = std::size_t{256} << 20;  ///< bytes of each buffer, a power of two
  std::int64_t outstanding = 8192;               ///< most requests at a time
  int samples = 31;                              ///< of each point, after one that warms up
  int rounds = 500;                              ///< of what is timed one by one with the CPU's clock
};

inline constexpr std::uint64_t host_seed = 1, device_seed = 2, write_seed = 3;

enum class Way { to_device, from_device };

/// Buffers of one GPU, those of the host in huge pages: where small ones lie decides how far copies come beside kernels
/// that read, and each process draws that anew (docs/validation.md).
/// `host` holds the pattern of host_seed and `device` that of device_seed, from start to end;
/// what experiments write goes to the two others.
class Bench {
 public:
  Bench(gpu::Gpu& gpu, const Effort& effort);

  gpu::Gpu& gpu;
  gpu::HostMemory host, host_target;
  gpu::DeviceMemory device, device_target;
  gpu::Stream in, out;  ///< one for each direction

  void use() const { gpu.use(); }
  /// Holds `stream` back from here until `release`.
  void hold(gpu::Stream& stream);
  void release();
  /// Words at `at` in device memory that are not the pattern.
  std::uint32_t wrong_on_device(gpu::DevicePointer at, std::size_t bytes, std::uint64_t seed);
  /// The same of the host's target: all of a MiB, beyond it every 1021st word and the last.
  bool right_on_host(std::size_t bytes, std::uint64_t seed) const;
  void poison_host(std::size_t bytes);

  /// Queues a copy by the engine that serves the stream, between the buffers of host and device.
  void queue_copy(gpu::Stream& stream, Way way, std::size_t bytes);
  /// Whether such a copy has brought what it should.
  bool copied_right(Way way, std::size_t bytes);

  std::uint32_t* flag(int index) const { return flags_.words() + 32 * index; }  ///< host memory, a line each
  gpu::DevicePointer flag_at(int index) const { return flags_.device_at(static_cast<std::size_t>(128 * index)); }
  std::uint32_t next_number() { return ++number_; }
  void clear_result();
  std::uint32_t result();
  gpu::DevicePointer result_at() const { return result_.at(); }

 private:
  gpu::HostMemory flags_;
  gpu::DeviceMemory result_;
  std::uint32_t number_ = 0;
};

struct Lab {
  Effort effort;
  std::vector<std::unique_ptr<gpu::Gpu>> gpus;
  std::vector<std::unique_ptr<Bench>> benches;  ///< one a GPU
  NicOptions nic{};
  std::string no_gpu{};                                    ///< why there is none
  std::string kernel_file{};                               ///< the GPUs' kernels
  std::string gpu_provider = "virtio_gpu", gpu_library{};  ///< the agent's provider of GPU memory, and its driver
  Bench& first() { return *benches.front(); }
};

/// Nanoseconds of one of `count` operations that are queued before the first may start, once for each sample: what the
/// host needs to submit them is not in it.
std::vector<double> time_queued(Bench& bench, gpu::Stream& stream, int samples, int count,
                                const std::function<void()>& submit);

/// Nanoseconds of one step of a kernel, from runs of `steps` and three times as many: what a launch costs cancels.
std::vector<double> time_steps(Bench& bench, int samples, std::uint64_t steps,
                               const std::function<void(std::uint64_t steps)>& launch);

/// Looks at a word in host memory until it is `value`; throws if that takes more than two seconds.
void await(const std::uint32_t* word, std::uint32_t value);

/// The CPU's clock, in nanoseconds.
double now_ns();

}  // namespace peerpath::experiments
