#include "validation/gpunet/gpu/gpu_node.hpp"

#include <cstring>
#include <vector>

#include "validation/gpunet/layout.hpp"

namespace peerpath::gpunet::gpu {
namespace {

namespace backend = gpu_backend;

template <class T>
T* pointer(backend::DevicePointer address) {
  return reinterpret_cast<T*>(address);
}

class GpuNode final : public run::Node {
 public:
  GpuNode(backend::Gpu& gpu, const Dimensions& size, const ProxyOptions& options)
      : gpu_{gpu}, stream_{gpu}, shared_{gpu, host_bytes(size)}, state_{gpu, size.sockets * sizeof(SocketState)} {
    auto* here = reinterpret_cast<unsigned char*>(shared_.words());
    std::memset(here, 0, host_bytes(size));
    stream_.fill(state_.at(), 0, size.sockets * sizeof(SocketState));
    stream_.wait();
    there_ = lay_out(size, pointer<unsigned char>(shared_.device_at()), pointer<SocketState>(state_.at()));
    auto net = lay_out(size, here, nullptr);
    if (options.direct) {
      lend(*options.direct, net);
      there_.direct_out = net.direct_out, there_.direct_in = net.direct_in;
    }
    proxy_ = std::make_unique<Proxy>(net, options);
  }
  ~GpuNode() override {
    proxy_->stop();
    gpu_.use();
    gpu_.driver().stream_wait(stream_.handle());
  }

  unsigned char* allocate(std::size_t bytes) override {
    memory_.push_back(std::make_unique<backend::DeviceMemory>(gpu_, bytes));
    stream_.fill(memory_.back()->at(), 0, bytes);
    stream_.wait();
    return pointer<unsigned char>(memory_.back()->at());
  }
  void write(unsigned char* to, const void* from, std::size_t bytes) override {
    gpu_.use();
    stream_.to_device(reinterpret_cast<backend::DevicePointer>(to), from, bytes);
    stream_.wait();
  }
  void read(void* to, const unsigned char* from, std::size_t bytes) override {
    gpu_.use();
    stream_.from_device(to, reinterpret_cast<backend::DevicePointer>(from), bytes);
    stream_.wait();
  }
  Mapped map(std::size_t bytes) override {
    mapped_.push_back(std::make_unique<backend::HostMemory>(gpu_, bytes));
    auto* here = reinterpret_cast<unsigned char*>(mapped_.back()->words());
    std::memset(here, 0, bytes);
    return {here, pointer<unsigned char>(mapped_.back()->device_at())};
  }
  void launch(const apps::Task& task, unsigned blocks, unsigned threads) override {
    task_ = task;
    launch_kernel("gpunet_apps", &task_, blocks, threads);
  }
  void launch_kernel(const char* kernel, void* argument, unsigned blocks, unsigned threads) {
    gpu_.use();
    void* arguments[] = {&there_, argument};
    const auto& driver = gpu_.driver();
    if (!driver.launch_cooperative || !driver.stream_query) throw backend::Unsupported{"the driver library is too old"};
    backend::check(
        driver.launch_cooperative(gpu_.kernel(kernel), blocks, 1, 1, threads, 1, 1, 0, stream_.handle(), arguments),
        "launch_cooperative");
  }
  bool done() override {
    gpu_.use();
    const auto status = gpu_.driver().stream_query(stream_.handle());
    if (status == backend::status_not_ready) return false;
    backend::check(status, "stream_query");
    return true;
  }
  Proxy& proxy() override { return *proxy_; }
  std::string name() const override { return gpu_.name(); }

 private:
  /// Memory of the GPU for NICs; whole pages of it, with which the dma-buf is sure to begin.
  void lend(DirectMemory& direct, Net& net) try {
    constexpr auto page = backend::DeviceMemory::page;
    const auto bytes = (direct.bytes(net.size.ring_bytes) + page - 1) / page * page;
    auto memory = std::make_unique<backend::DeviceMemory>(gpu_, bytes);
    direct.offer(pointer<unsigned char>(memory->at()), memory->export_dmabuf(bytes), net);
    memory_.push_back(std::move(memory));
  } catch (const std::exception& e) {
    direct.refuse(e.what());
  }

  backend::Gpu& gpu_;
  backend::Stream stream_;
  backend::HostMemory shared_;
  backend::DeviceMemory state_;
  std::vector<std::unique_ptr<backend::DeviceMemory>> memory_;
  std::vector<std::unique_ptr<backend::HostMemory>> mapped_;
  Net there_;
  apps::Task task_;
  std::unique_ptr<Proxy> proxy_;
};

}  // namespace

void launch(run::Node& node, const char* kernel, void* argument, unsigned blocks, unsigned threads) {
  dynamic_cast<GpuNode&>(node).launch_kernel(kernel, argument, blocks, threads);
}

std::unique_ptr<run::Node> open_gpu(gpu_backend::Gpu& gpu, const Dimensions& size, const ProxyOptions& proxy) {
  return std::make_unique<GpuNode>(gpu, size, proxy);
}

}  // namespace peerpath::gpunet::gpu
