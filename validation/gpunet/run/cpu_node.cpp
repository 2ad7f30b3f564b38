#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "validation/gpunet/apps/kernel.hpp"
#include "validation/gpunet/emulation/grid.hpp"
#include "validation/gpunet/run/node.hpp"

namespace peerpath::gpunet::run {
namespace {

/// Memory in place of a GPU's that NICs may reach.
class File {
 public:
  void open(DirectMemory& direct, Net& net) {
    bytes_ = direct.bytes(net.size.ring_bytes);
    const int file = ::memfd_create("gpunet", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes_)) != 0 ||
        ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
      return direct.refuse("no memory for it");
    const int dmabuf = direct.export_file(file, bytes_);
    if (dmabuf < 0) direct.refuse(std::string{"no dma-buf: "} + std::strerror(errno));
    auto* base = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (base == MAP_FAILED) return direct.refuse("its memory cannot be mapped");
    base_ = base;
    direct.offer(static_cast<unsigned char*>(base), dmabuf, net);
  }
  ~File() {
    if (base_ != nullptr) ::munmap(base_, bytes_);
  }

 private:
  void* base_ = nullptr;
  std::size_t bytes_ = 0;
};

class CpuNode final : public Node {
 public:
  CpuNode(const Dimensions& size, const ProxyOptions& options, bool moves)
      : host_{size}, moves_{moves}, proxy_{lend(options), options} {}
  ~CpuNode() override { proxy_.stop(); }  // a grid that waits ends

  unsigned char* allocate(std::size_t bytes) override {
    memory_.push_back(std::make_unique<Unit[]>(bytes / sizeof(Unit) + 1));
    return reinterpret_cast<unsigned char*>(memory_.back().get());
  }
  void write(unsigned char* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void read(void* to, const unsigned char* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  Mapped map(std::size_t bytes) override {
    auto* memory = allocate(bytes);
    return {memory, memory};
  }
  void launch(const apps::Task& task, unsigned blocks, unsigned threads) override {
    ended_ = 0;
    threads_ = blocks * threads;
    const emulation::GridOptions options{.blocks = blocks, .threads = threads, .moves = moves_};
    grid_ = std::make_unique<emulation::Grid>(host_.net(), options, [this, task](emulation::Block& block) {
      apps::perform(block, task);
      ++ended_;
    });
  }
  bool done() override {
    if (ended_ < threads_) return false;
    if (grid_) grid_->wait();
    return true;
  }
  Proxy& proxy() override { return proxy_; }
  std::string name() const override { return "CPU"; }

 private:
  struct alignas(16) Unit {
    std::uint64_t words[2];
  };

  const Net& lend(const ProxyOptions& options) {
    if (options.direct) file_.open(*options.direct, host_.net());
    return host_.net();
  }

  emulation::HostNet host_;
  File file_;
  bool moves_;
  Proxy proxy_;
  std::vector<std::unique_ptr<Unit[]>> memory_;
  std::atomic<unsigned> ended_{0};
  unsigned threads_ = 0;
  std::unique_ptr<emulation::Grid> grid_;
};

}  // namespace

std::unique_ptr<Node> open_cpu(const Dimensions& size, const ProxyOptions& proxy, bool moves) {
  return std::make_unique<CpuNode>(size, proxy, moves);
}

}  // namespace peerpath::gpunet::run
