// Payload of GPU memory by a NIC that takes its dma-buf, and by bounce buffers where one does not. With the kernels'
// file in GPUNET_KERNELS on a GPU, else on threads of the CPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "validation/gpunet/gpu/gpu_node.hpp"
#include "validation/gpunet/run/mapreduce.hpp"
#include "validation/gpunet/run/trials.hpp"
#include "validation/gpunet/verbs/fake_verbs.hpp"
#include "validation/gpunet/verbs/verbs_channel.hpp"

namespace peerpath::gpunet {
namespace {

/// Null: there is none, or none is asked for.
gpu_backend::Gpu* real() {
  static const auto one = []() -> std::unique_ptr<gpu_backend::Gpu> {
    const char* file = std::getenv("GPUNET_KERNELS");
    if (file == nullptr) return nullptr;
    std::ostringstream kernels;
    kernels << std::ifstream{file, std::ios::binary}.rdbuf();
    const auto loaded = gpu_backend::load_driver(gpu_backend::Vendor::cuda, "");
    if (gpu_backend::count_gpus(*loaded.driver) == 0) return nullptr;
    return std::make_unique<gpu_backend::Gpu>(*loaded.driver, gpu_backend::Vendor::cuda, 0, kernels.str());
  }();
  return one.get();
}

/// Tests may run side by side, each in a process.
std::uint16_t port() { return static_cast<std::uint16_t>(22000 + ::getpid() % 1000 * 10); }

int duplicate(int file, std::uint64_t) { return ::dup(file); }

struct Bench {
  explicit Bench(bool takes_dmabufs, unsigned slices = 8, DirectMemory::Export by = duplicate) {
    fake::nic() = fake::mapping_nic();
    fake::nic().takes_dmabufs = takes_dmabufs;
    if (real() != nullptr) reach_by_copies(fake::nic());
    trial.threads = real() != nullptr ? 128 : 2;
    trial.open = [this, slices, by](int, const Dimensions& size, ProxyOptions proxy) {
      proxy.direct = lent.emplace_back(std::make_shared<DirectMemory>(slices, by));
      proxy.others = verbs_channels("", proxy.direct);
      return real() != nullptr ? gpu::open_gpu(*real(), size, proxy) : run::open_cpu(size, proxy);
    };
  }
  /// A driver's dma-buf cannot be mapped into a process: the GPU's own copies stand for the NIC's accesses.
  void reach_by_copies(fake::Nic& nic) {
    stream = std::make_unique<gpu_backend::Stream>(*real());
    nic.map = [this](int dmabuf, std::size_t) -> unsigned char* {
      for (const auto& memory : lent)
        if (memory->dmabuf() == dmabuf) return memory->base();
      return nullptr;
    };
    nic.unmap = [](unsigned char*, std::size_t) {};
    nic.copy = [this](unsigned char* to, const unsigned char* from, std::size_t bytes) {
      const auto is_of_gpu = [this](const unsigned char* at) {
        return std::ranges::any_of(lent, [at](const auto& memory) {
          return at >= memory->base() && at < memory->base() + memory->all_bytes();
        });
      };
      std::vector<unsigned char> between(bytes);
      real()->use();
      if (is_of_gpu(from))
        stream->from_device(between.data(), reinterpret_cast<gpu_backend::DevicePointer>(from), bytes);
      else
        std::memcpy(between.data(), from, bytes);
      stream->wait();
      if (is_of_gpu(to))
        stream->to_device(reinterpret_cast<gpu_backend::DevicePointer>(to), between.data(), bytes);
      else
        std::memcpy(to, between.data(), bytes);
      stream->wait();
    };
  }

  std::unique_ptr<gpu_backend::Stream> stream;
  std::vector<std::shared_ptr<DirectMemory>> lent;
  run::Trial trial{{}, 2, rdma_address(loopback, port())};
};

constexpr std::uint64_t message = 300'000, count = 6, all = 2 * message * count;

TEST(GpunetDirect, ALargeMessageGoesFromGpuMemoryToGpuMemory) {
  Bench bench{true};
  const auto timing = run::stream(bench.trial, message, count, 2, 1, 1);
  EXPECT_TRUE(timing.right);
  EXPECT_EQ(fake::nic().from_dmabuf, all);
  EXPECT_EQ(fake::nic().into_dmabuf, all);
  EXPECT_EQ(fake::nic().from_host, 0);
  EXPECT_EQ(timing.proxy.direct_sent_bytes, all);
  EXPECT_EQ(timing.proxy.direct_received_bytes, all);
  for (const auto& memory : bench.lent) EXPECT_EQ(memory->refused(), "");
}

TEST(GpunetDirect, WhatTravelsInAnEntryGoesFromABounceBuffer) {
  Bench bench{true};
  EXPECT_TRUE(run::stream(bench.trial, 64, 60, 1, 1, 1).right);
  EXPECT_EQ(fake::nic().from_host, 64 * 60);
  EXPECT_EQ(fake::nic().into_dmabuf, 64 * 60);
}

TEST(GpunetDirect, WordsAreCountedByNodesThatExchangeThem) {
  Bench bench{true};
  const auto text = run::make_text(200'000, 1);
  EXPECT_TRUE(run::count_words(bench.trial, text, 2, 1).right);
  EXPECT_GT(fake::nic().from_dmabuf, 0);
}

TEST(GpunetDirect, ANicThatRefusesIsAskedOnceAndBounces) {
  Bench bench{false};
  const auto timing = run::stream(bench.trial, message, count, 2, 1, 1);
  EXPECT_TRUE(timing.right);
  EXPECT_EQ(fake::nic().dmabuf_registrations, 2);  // one for each node, though each has two connections
  EXPECT_EQ(fake::nic().from_host, all);
  EXPECT_EQ(fake::nic().into_host, all);
  EXPECT_EQ(timing.proxy.direct_sent_bytes + timing.proxy.direct_received_bytes, 0);
  for (const auto& memory : bench.lent) EXPECT_NE(memory->refused().find("ibv_reg_dmabuf_mr"), std::string::npos);
}

TEST(GpunetDirect, MemoryThatIsNotExportedBounces) {
  if (real() != nullptr) return;  // a GPU's driver does
  Bench bench{true, 8, [](int, std::uint64_t) { return errno = ENODEV, -1; }};
  EXPECT_TRUE(run::stream(bench.trial, message, count, 2, 1, 1).right);
  EXPECT_EQ(fake::nic().dmabuf_registrations, 0);
  EXPECT_EQ(fake::nic().from_host, all);
  EXPECT_NE(bench.lent.front()->refused().find("no dma-buf"), std::string::npos);
}

/// The second of two connections has the slice of the first if that is over when it opens, and bounces if not.
TEST(GpunetDirect, ConnectionsBeyondTheSlicesBounce) {
  Bench bench{true, 1};
  EXPECT_TRUE(run::stream(bench.trial, message, count, 2, 1, 1).right);
  EXPECT_GE(fake::nic().from_dmabuf, all / 2);
  EXPECT_EQ(fake::nic().from_dmabuf + fake::nic().from_host, all);
}

}  // namespace
}  // namespace peerpath::gpunet
