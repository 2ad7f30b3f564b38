// Memory of a real GPU, by its driver library, as a dma-buf. The CPU sees it through the GPU's own copies: they
// take what a NIC wrote before its completion was seen on GPUs that order remote writes for themselves
// (CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING); on one that does not, good data could be called wrong.
#include "validation/agent/memory.hpp"
#include "validation/backends/gpu/gpu.hpp"

namespace peerpath::agent {
namespace {

namespace gpu = gpu_backend;

class GpuBuffer final : public Shadowed {
 public:
  GpuBuffer(const gpu::Driver& driver, gpu::Vendor vendor, std::size_t bytes)
      : gpu_{driver, vendor, 0, ""}, memory_{gpu_, bytes}, copy_{gpu_, bytes}, stream_{gpu_} {
    // What an earlier process left there may be the very bytes that are to come.
    stream_.fill(memory_.at(), 0xff, bytes);
    stream_.wait();
  }

  Expected<void> fetch(std::uint64_t offset, std::uint64_t size) override {
    return run([&] { stream_.from_device(copy().data() + offset, memory_.at(offset), size); });
  }
  Expected<void> store(std::uint64_t offset, std::uint64_t size) override {
    return run([&] { stream_.to_device(memory_.at(offset), copy().data() + offset, size); });
  }
  std::span<unsigned char> copy() const { return {reinterpret_cast<unsigned char*>(copy_.words()), copy_.size()}; }
  int export_dmabuf() const { return memory_.export_dmabuf(copy_.size()); }

 private:
  template <class Start>
  Expected<void> run(const Start& start) try {
    start();
    stream_.wait();
    return {};
  } catch (const gpu::Error& e) {
    return tl::unexpected{Failure{e.what()}};
  }

  gpu::Gpu gpu_;
  gpu::DeviceMemory memory_;
  gpu::HostMemory copy_;
  gpu::Stream stream_;
};

}  // namespace

Expected<Buffer> make_gpu_buffer(const Memory& memory) try {
  const auto vendor = memory.provider == Provider::hip ? gpu::Vendor::hip : gpu::Vendor::cuda;
  const auto loaded = gpu::load_driver(vendor, memory.path);
  if (!loaded.driver) return tl::unexpected{Failure{loaded.missing, true}};
  if (gpu::count_gpus(*loaded.driver) == 0) return tl::unexpected{Failure{"the driver finds no GPU", true}};
  constexpr auto page = gpu::DeviceMemory::page;
  auto made = std::make_unique<GpuBuffer>(*loaded.driver, vendor, (memory.bytes + page - 1) / page * page);
  const auto copy = made->copy();
  FileHandle dmabuf{made->export_dmabuf()};
  return Buffer{copy, std::move(dmabuf), std::move(made)};
} catch (const gpu::Unsupported& e) {
  return tl::unexpected{Failure{e.what(), true}};
} catch (const gpu::Error& e) {
  return tl::unexpected{Failure{e.what()}};
}

}  // namespace peerpath::agent
