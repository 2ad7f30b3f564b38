// A driver library for tests: the functions of libcuda with threads as streams and host memory as device memory, so
// that the host part runs, with its timing and its checks of the data, where there is no GPU. What it shall do wrong is
// said in the environment: FAKE_GPUS=n, FAKE_CORRUPT=1 (copies lose their last word), FAKE_FAIL=function,
// FAKE_REFUSE=function (it is not supported), FAKE_CRASH=function. Device memory is exported as the memfd that it lies
// in.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "validation/backends/gpu/driver.hpp"
#include "validation/backends/gpu/kernel_arguments.hpp"

namespace {

using namespace peerpath::gpu_backend;
using Clock = std::chrono::steady_clock;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Status outcome(const char* function) {
  if (setting("FAKE_CRASH") == function) std::abort();
  if (setting("FAKE_REFUSE") == function) return status_unsupported;
  return setting("FAKE_FAIL") == function ? 999 : 0;
}

/// What is allocated on the device, by address.
struct Allocation {
  int file;
  std::size_t bytes;
};
std::map<DevicePointer, Allocation> allocations;
std::mutex allocations_mutex;

/// Does what it is given, in order, in a thread of its own.
class Worker {
 public:
  ~Worker() {
    add([this] { stop_ = true; });
    thread_.join();
  }
  void add(std::function<void()> work) {
    const std::lock_guard lock{mutex_};
    queue_.push_back(std::move(work));
    ++added_;
    changed_.notify_all();
  }
  bool idle() {
    const std::lock_guard lock{mutex_};
    return done_ == added_;
  }
  void wait() {
    std::unique_lock lock{mutex_};
    const auto until = added_;
    changed_.wait(lock, [&] { return done_ >= until; });
  }

 private:
  void run() {
    while (!stop_) {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [&] { return !queue_.empty(); });
      const auto work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::uint64_t added_ = 0, done_ = 0;
  bool stop_ = false;
  std::thread thread_{[this] { run(); }};
};

struct Moment {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = true;
  Clock::time_point time;

  void reach() {
    const std::lock_guard lock{mutex};
    time = Clock::now();
    reached = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock{mutex};
    changed.wait(lock, [&] { return reached; });
  }
};

Worker& worker(Handle stream) { return *static_cast<Worker*>(stream); }
Moment& moment(Handle event) { return *static_cast<Moment*>(event); }

volatile std::uint32_t* word_at(std::uint64_t address) { return reinterpret_cast<volatile std::uint32_t*>(address); }

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  if (!setting("FAKE_CORRUPT").empty()) std::memset(static_cast<char*>(to) + bytes - 4, 0xff, 4);
}

bool wait_for(std::uint64_t address, std::uint32_t value) {
  const auto end = Clock::now() + std::chrono::seconds{5};
  while (*word_at(address) != value)
    if (Clock::now() > end) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

// The kernels' twins: the same effect on memory.

void fill_pattern(const KernelArguments& a) {
  for (std::uint64_t i = 0; i < a.bytes / 4; ++i) word_at(a.to)[i] = pattern(i, a.seed);
}

void count_wrong(const KernelArguments& a) {
  for (std::uint64_t i = 0; i < a.bytes / 4; ++i)
    if (word_at(a.from)[i] != pattern(i, a.seed)) *word_at(a.result) = *word_at(a.result) + 1;
}

void copy(const KernelArguments& a) {
  copy_bytes(reinterpret_cast<void*>(a.to), reinterpret_cast<const void*>(a.from), a.bytes);
}

/// Calls act(word index) for every word that the chains' kernels touch.
template <class Act>
void each_word(const KernelArguments& a, const Act& act) {
  for (std::uint64_t chain = 0; chain < a.chains; ++chain)
    for (std::uint64_t step = 0; step < a.steps; ++step)
      for (std::uint64_t lane = 0; lane < a.words; ++lane)
        act((((step + a.first) * a.stride + chain * a.spacing) & (a.bytes - 1)) / 4 + lane);
}

void read_chains(const KernelArguments& a) {
  each_word(a, [&](std::uint64_t i) {
    if (word_at(a.from)[i] != pattern(i, a.seed)) *word_at(a.result) = *word_at(a.result) + 1;
  });
}

void write_places(const KernelArguments& a) {
  each_word(a, [&](std::uint64_t i) { word_at(a.to)[i] = pattern(i, a.seed); });
}

void add_chains(const KernelArguments& a) {
  for (std::uint64_t chain = 0; chain < a.chains; ++chain) {
    auto* word = word_at(a.to + chain * a.spacing);
    *word = *word + static_cast<std::uint32_t>(a.steps);
  }
}

void hold(const KernelArguments& a) { wait_for(a.from, a.first); }

void answer(const KernelArguments& a) {
  for (std::uint32_t round = 0; round < a.steps; ++round) {
    if (!wait_for(a.from, a.first + round)) return;
    *word_at(a.to) = a.first + round;
  }
}

void ring(const KernelArguments& a) { *word_at(a.to) = a.first; }

using Kernel = void (*)(const KernelArguments&);
struct NamedKernel {
  const char* name;
  Kernel run;
};
constexpr NamedKernel kernels[] = {{"fill_pattern", fill_pattern},
                                   {"count_wrong", count_wrong},
                                   {"copy", copy},
                                   {"read_chains", read_chains},
                                   {"write_places", write_places},
                                   {"add_chains", add_chains},
                                   {"hold", hold},
                                   {"answer", answer},
                                   {"ring", ring}};

template <class Pointer>
Status copy_later(Pointer to, const void* from, std::size_t bytes, Handle stream) {
  auto* target = reinterpret_cast<void*>(to);
  worker(stream).add([=] { copy_bytes(target, from, bytes); });
  return 0;
}

}  // namespace

extern "C" {

Status cuInit(unsigned) { return outcome("cuInit"); }
Status cuDriverGetVersion(int* version) { return *version = 1, 0; }
Status cuDeviceGetCount(int* count) {
  const auto text = setting("FAKE_GPUS");
  return *count = text.empty() ? 1 : std::atoi(text.c_str()), 0;
}
Status cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
Status cuDeviceGetName(char* name, int length, int) { return std::strncpy(name, "fake", std::size_t(length)), 0; }
Status cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = 1u << 30, 0; }
Status cuDeviceGetPCIBusId(char* text, int length, int) {
  return std::strncpy(text, "ffff:ff:1f.7", std::size_t(length)), 0;
}
Status cuDeviceGetAttribute(int* value, int, int) { return *value = 4, 0; }
Status cuDeviceCanAccessPeer(int* possible, int, int) { return *possible = 1, 0; }
Status cuDevicePrimaryCtxRetain(Handle* context, int) { return *context = context, 0; }
Status cuDevicePrimaryCtxRelease_v2(int) { return 0; }
Status cuCtxSetCurrent(Handle) { return 0; }
Status cuCtxEnablePeerAccess(Handle, unsigned) { return 0; }
Status cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  const int file = memfd_create("fake device memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return 2;  // CUDA_ERROR_OUT_OF_MEMORY
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return 2;
  *memory = reinterpret_cast<DevicePointer>(at);
  const std::lock_guard lock{allocations_mutex};
  allocations[*memory] = {file, bytes};
  return outcome("cuMemAlloc_v2");
}
Status cuMemFree_v2(DevicePointer memory) {
  const std::lock_guard lock{allocations_mutex};
  const auto found = allocations.find(memory);
  if (found == allocations.end()) return 1;  // CUDA_ERROR_INVALID_VALUE
  munmap(reinterpret_cast<void*>(memory), found->second.bytes);
  close(found->second.file);
  allocations.erase(found);
  return 0;
}
Status cuMemGetHandleForAddressRange(void* handle, DevicePointer memory, std::size_t bytes, int type,
                                     unsigned long long flags) {
  const std::lock_guard lock{allocations_mutex};
  const auto found = allocations.find(memory);
  if (found == allocations.end() || bytes != found->second.bytes || bytes % 4096 != 0 || type != range_dmabuf ||
      flags != 0)
    return 1;
  if (const auto status = outcome("cuMemGetHandleForAddressRange"); status != 0) return status;
  *static_cast<int*>(handle) = dup(found->second.file);
  return 0;
}
Status cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return *memory = std::aligned_alloc(4096, bytes), 0;
}
Status cuMemFreeHost(void* memory) { return std::free(memory), 0; }
Status cuMemHostRegister_v2(void*, std::size_t, unsigned) { return outcome("cuMemHostRegister_v2"); }
Status cuMemHostUnregister(void*) { return 0; }
Status cuMemHostGetDevicePointer_v2(DevicePointer* device, void* host, unsigned) {
  return *device = reinterpret_cast<DevicePointer>(host), 0;
}
Status cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Handle stream) {
  return copy_later(to, from, bytes, stream);
}
Status cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Handle stream) {
  return copy_later(to, reinterpret_cast<const void*>(from), bytes, stream);
}
Status cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Handle stream) {
  return copy_later(to, reinterpret_cast<const void*>(from), bytes, stream);
}
Status cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Handle stream) {
  worker(stream).add([=] { std::memset(reinterpret_cast<void*>(to), value, bytes); });
  return 0;
}
Status cuStreamCreate(Handle* stream, unsigned) { return *stream = new Worker, 0; }
Status cuStreamDestroy_v2(Handle stream) { return delete &worker(stream), 0; }
Status cuStreamSynchronize(Handle stream) { return worker(stream).wait(), 0; }
Status cuStreamQuery(Handle stream) { return worker(stream).idle() ? 0 : status_not_ready; }
Status cuStreamWaitEvent(Handle stream, Handle event, unsigned) {
  worker(stream).add([event] { moment(event).wait(); });
  return 0;
}
Status cuStreamWriteValue32_v2(Handle stream, DevicePointer to, std::uint32_t value, unsigned) {
  worker(stream).add([=] { *word_at(to) = value; });
  return outcome("cuStreamWriteValue32_v2");
}
Status cuEventCreate(Handle* event, unsigned) { return *event = new Moment, 0; }
Status cuEventDestroy_v2(Handle event) { return delete &moment(event), 0; }
Status cuEventRecord(Handle event, Handle stream) {
  {
    const std::lock_guard lock{moment(event).mutex};
    moment(event).reached = false;
  }
  worker(stream).add([event] { moment(event).reach(); });
  return 0;
}
Status cuEventSynchronize(Handle event) { return moment(event).wait(), 0; }
Status cuEventElapsedTime(float* milliseconds, Handle start, Handle end) {
  *milliseconds = std::chrono::duration<float, std::milli>{moment(end).time - moment(start).time}.count();
  return 0;
}
Status cuModuleLoadData(Handle* module, const void* image) { return *module = const_cast<void*>(image), 0; }
Status cuModuleUnload(Handle) { return 0; }
Status cuModuleGetFunction(Handle* function, Handle, const char* name) {
  for (const auto& kernel : kernels)
    if (std::strcmp(kernel.name, name) == 0) return *function = const_cast<NamedKernel*>(&kernel), 0;
  return 500;
}
Status cuLaunchKernel(Handle function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      Handle stream, void** arguments, void**) {
  const auto* kernel = static_cast<const NamedKernel*>(function);
  const auto given = *static_cast<const KernelArguments*>(arguments[0]);
  worker(stream).add([=] { kernel->run(given); });
  return 0;
}
}
