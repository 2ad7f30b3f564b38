#include "validation/backends/gpu/gpu.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace peerpath::gpu_backend {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void check(Status status, const char* call) {
  if (status == 0) return;
  const auto what = std::string{call} + " failed with status " + std::to_string(status);
  if (status == status_unsupported) throw Unsupported{what + " (not supported)"};
  throw Error{what};
}

int count_gpus(const Driver& driver) {
  int count = 0;
  return driver.init(0) == 0 && driver.device_count(&count) == 0 ? count : 0;
}

Gpu::Gpu(const Driver& driver, Vendor vendor, int ordinal, const std::string& kernels)
    : driver_{driver}, ordinal_{ordinal} {
  check(driver_.device_get(&device_, ordinal), "device_get");
  check(driver_.context_retain(&context_, device_), "context_retain");
  use();
  char text[256] = {};
  check(driver_.device_name(text, sizeof text, device_), "device_name");
  name_ = text;
  char bus[64] = {};
  check(driver_.device_bus_id(bus, sizeof bus, device_), "device_bus_id");
  bus_id_ = bus;
  check(driver_.device_memory(&memory_, device_), "device_memory");
  check(driver_.device_attribute(&multiprocessors_, multiprocessors_attribute(vendor), device_), "device_attribute");
  if (!kernels.empty()) check(driver_.module_load(&module_, kernels.c_str()), "module_load");
}

Gpu::~Gpu() {
  driver_.context_use(context_);
  if (module_) driver_.module_unload(module_);
  driver_.context_release(device_);
}

bool Gpu::connect(const Gpu& peer) const {
  int possible = 0;
  check(driver_.peer_possible(&possible, device_, peer.device_), "peer_possible");
  if (possible == 0) return false;
  use();
  driver_.context_enable_peer(peer.context_, 0);  // fails if it was enabled before, which is as good
  return true;
}

Handle Gpu::kernel(const char* name) {
  auto& function = functions_[name];
  if (!function) check(driver_.module_function(&function, module_, name), name);
  return function;
}

DeviceMemory::DeviceMemory(const Gpu& gpu, std::size_t bytes) : gpu_{gpu} {
  gpu_.use();
  check(gpu_.driver().memory_allocate(&memory_, bytes), "memory_allocate");
}

DeviceMemory::~DeviceMemory() {
  gpu_.use();
  gpu_.driver().memory_free(memory_);
}

int DeviceMemory::export_dmabuf(std::size_t bytes) const {
  const auto& driver = gpu_.driver();
  gpu_.use();
  int file = -1;
  if (driver.memory_export) {
    check(driver.memory_export(&file, memory_, bytes, range_dmabuf, 0), "export of memory as a dma-buf");
    return file;
  }
  if (!driver.memory_export_hsa) throw Unsupported{"the driver library is too old to export memory as a dma-buf"};
  std::uint64_t offset = 0;
  check(driver.memory_export_hsa(reinterpret_cast<const void*>(memory_), bytes, &file, &offset),
        "export of memory as a dma-buf");
  if (offset == 0) return file;
  ::close(file);
  throw Error{"the exported dma-buf begins before the memory"};
}

HostMemory::HostMemory(const Gpu& gpu, std::size_t bytes, Pages pages) : gpu_{gpu}, size_{bytes} {
  gpu_.use();
  if (pages == Pages::huge && gpu_.driver().host_register && gpu_.driver().host_unregister) map_and_register();
  if (!memory_) check(gpu_.driver().host_allocate(&memory_, bytes, host_mapped_portable), "host_allocate");
  check(gpu_.driver().host_address(&device_, memory_, 0), "host_address");
}

HostMemory::~HostMemory() {
  gpu_.use();
  if (!mapped_) {
    gpu_.driver().host_free(memory_);
    return;
  }
  gpu_.driver().host_unregister(memory_);
  munmap(mapped_, size_ + huge_page);
}

/// Nothing is kept where the driver refuses.
void HostMemory::map_and_register() {
  const auto length = size_ + huge_page;  // room to begin with a page
  auto* mapped = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(mapped) + huge_page - 1) / huge_page * huge_page;
  auto* memory = reinterpret_cast<void*>(begin);
  madvise(memory, size_, MADV_HUGEPAGE);  // a kernel without them gives small pages
  std::memset(memory, 0, size_);
  if (gpu_.driver().host_register(memory, size_, host_mapped_portable) != 0) {
    munmap(mapped, length);
    return;
  }
  mapped_ = mapped;
  memory_ = memory;
}

Event::Event(const Gpu& gpu, unsigned flags) : gpu_{gpu} {
  gpu_.use();
  check(gpu_.driver().event_create(&event_, flags), "event_create");
}

Event::~Event() { gpu_.driver().event_destroy(event_); }

double Event::since(const Event& start) const {
  float milliseconds = 0;
  check(gpu_.driver().event_elapsed(&milliseconds, start.event_, event_), "event_elapsed");
  return 1e6 * static_cast<double>(milliseconds);
}

Stream::Stream(Gpu& gpu) : gpu_{gpu} {
  gpu_.use();
  check(gpu_.driver().stream_create(&stream_, stream_non_blocking), "stream_create");
}

Stream::~Stream() { gpu_.driver().stream_destroy(stream_); }

void Stream::to_device(DevicePointer to, const void* from, std::size_t bytes) {
  check(gpu_.driver().copy_to_device(to, from, bytes, stream_), "copy_to_device");
}

void Stream::from_device(void* to, DevicePointer from, std::size_t bytes) {
  check(gpu_.driver().copy_from_device(to, from, bytes, stream_), "copy_from_device");
}

void Stream::on_device(DevicePointer to, DevicePointer from, std::size_t bytes) {
  check(gpu_.driver().copy_on_device(to, from, bytes, stream_), "copy_on_device");
}

void Stream::fill(DevicePointer to, unsigned char value, std::size_t bytes) {
  check(gpu_.driver().fill(to, value, bytes, stream_), "fill");
}

void Stream::write_value(DevicePointer to, std::uint32_t value) {
  if (!gpu_.driver().stream_write_value) throw Unsupported{"the driver library does not write values from a stream"};
  check(gpu_.driver().stream_write_value(stream_, to, value, 0), "stream_write_value");
}

void Stream::launch(const char* kernel, unsigned blocks, unsigned threads, KernelArguments arguments) {
  void* parameters[] = {&arguments};
  check(gpu_.driver().launch(gpu_.kernel(kernel), blocks, 1, 1, threads, 1, 1, 0, stream_, parameters, nullptr),
        kernel);
}

void Stream::record(const Event& event) { check(gpu_.driver().event_record(event.handle(), stream_), "event_record"); }

void Stream::wait_for(const Event& event) {
  check(gpu_.driver().stream_wait_event(stream_, event.handle(), 0), "stream_wait_event");
}

void Stream::wait() { check(gpu_.driver().stream_wait(stream_), "stream_wait"); }

bool Stream::done() const {
  if (!gpu_.driver().stream_query) throw Unsupported{"the driver library is too old to say whether a stream is done"};
  const auto status = gpu_.driver().stream_query(stream_);
  if (status == status_not_ready) return false;
  check(status, "stream_query");
  return true;
}

}  // namespace peerpath::gpu_backend
