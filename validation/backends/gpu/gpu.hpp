// One GPU with its memory, streams, events and kernels: owners over the driver's table.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/backends/gpu/driver.hpp"
#include "validation/backends/gpu/kernel_arguments.hpp"

namespace peerpath::gpu_backend {

/// A call of the driver failed; says which and with what number. What was being measured has no result.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This driver or GPU does not do what was called for.
class Unsupported : public Error {
 public:
  using Error::Error;
};

void check(Status status, const char* call);

/// How many GPUs there are, after the driver's start; 0 where that fails.
int count_gpus(const Driver& driver);

/// A device with its primary context and the kernels loaded. Calls go to the context that is current: `use` makes it
/// so.
class Gpu {
 public:
  /// `kernels` is what nvcc or hipcc made of kernels.cu: a fat binary, cubin, code object, or the text of PTX. Empty:
  /// none are used.
  Gpu(const Driver& driver, Vendor vendor, int ordinal, const std::string& kernels);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Driver& driver() const { return driver_; }
  void use() const { check(driver_.context_use(context_), "context_use"); }
  int ordinal() const { return ordinal_; }
  int multiprocessors() const { return multiprocessors_; }
  const std::string& name() const { return name_; }
  const std::string& bus_id() const { return bus_id_; }  ///< domain:bus:device.function
  std::size_t memory() const { return memory_; }
  /// Whether copies may go straight from one to the other; makes it possible where it is.
  bool connect(const Gpu& peer) const;
  Handle kernel(const char* name);

 private:
  Driver driver_;
  int ordinal_ = 0, device_ = 0, multiprocessors_ = 0;
  std::size_t memory_ = 0;
  std::string name_, bus_id_;
  Handle context_ = nullptr, module_ = nullptr;
  std::map<std::string, Handle> functions_;
};

class DeviceMemory {
 public:
  DeviceMemory(const Gpu& gpu, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  DevicePointer at(std::size_t offset = 0) const { return memory_ + offset; }
  /// A dma-buf of the first `bytes`, a multiple of the host's page size, as a file descriptor that the caller closes.
  /// Only memory that is a multiple of `page` is sure to begin with the dma-buf.
  int export_dmabuf(std::size_t bytes) const;
  static constexpr std::size_t page = std::size_t{2} << 20;  ///< smaller allocations may share one

 private:
  const Gpu& gpu_;
  DevicePointer memory_ = 0;
};

/// Where host memory comes from: the driver's allocator, or anonymous memory in huge pages where the kernel has them,
/// registered with the driver (the allocator where it cannot be). The allocator's pages lie as the process draws them.
enum class Pages : std::uint8_t { allocator, huge };

/// Host memory that no page fault moves, which the GPU reads and writes at `device_at`.
class HostMemory {
 public:
  HostMemory(const Gpu& gpu, std::size_t bytes, Pages pages = Pages::allocator);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  std::uint32_t* words() const { return static_cast<std::uint32_t*>(memory_); }
  std::size_t size() const { return size_; }
  DevicePointer device_at(std::size_t offset = 0) const { return device_ + offset; }
  bool registered() const { return mapped_ != nullptr; }

 private:
  void map_and_register();

  const Gpu& gpu_;
  void* memory_ = nullptr;
  void* mapped_ = nullptr;  ///< what `memory_` is a part of
  DevicePointer device_ = 0;
  std::size_t size_ = 0;
};

class Event {
 public:
  explicit Event(const Gpu& gpu, unsigned flags = event_default);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Handle handle() const { return event_; }
  void wait() const { check(gpu_.driver().event_wait(event_), "event_wait"); }
  /// Nanoseconds from `start` to this one.
  double since(const Event& start) const;

 private:
  const Gpu& gpu_;
  Handle event_ = nullptr;
};

/// Work done in order on one GPU.
class Stream {
 public:
  explicit Stream(Gpu& gpu);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void to_device(DevicePointer to, const void* from, std::size_t bytes);
  void from_device(void* to, DevicePointer from, std::size_t bytes);
  void on_device(DevicePointer to, DevicePointer from, std::size_t bytes);
  void fill(DevicePointer to, unsigned char value, std::size_t bytes);
  void write_value(DevicePointer to, std::uint32_t value);
  void launch(const char* kernel, unsigned blocks, unsigned threads, KernelArguments arguments);
  void record(const Event& event);
  void wait_for(const Event& event);
  void wait();
  bool done() const;  ///< nothing that was queued is left
  Gpu& gpu() const { return gpu_; }
  Handle handle() const { return stream_; }

 private:
  Gpu& gpu_;
  Handle stream_ = nullptr;
};

}  // namespace peerpath::gpu_backend
