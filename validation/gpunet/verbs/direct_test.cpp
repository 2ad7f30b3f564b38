// Payload of GPU memory by a NIC that takes its dma-buf, and by bounce buffers where one does not.
#include <gtest/gtest.h>
#include <unistd.h>

#include "validation/gpunet/run/mapreduce.hpp"
#include "validation/gpunet/run/trials.hpp"
#include "validation/gpunet/verbs/fake_verbs.hpp"
#include "validation/gpunet/verbs/verbs_channel.hpp"

namespace peerpath::gpunet {
namespace {

struct Bench {
  explicit Bench(
      bool takes_dmabufs, DirectMemory::Export by = [](int file, std::uint64_t) { return ::dup(file); }) {
    fake::nic() = {.takes_dmabufs = takes_dmabufs};
    trial.open = [this, by](int, const Dimensions& size, ProxyOptions proxy) {
      proxy.direct = lent.emplace_back(std::make_shared<DirectMemory>(8, by));
      proxy.others = verbs_channels("", proxy.direct);
      return run::open_cpu(size, proxy);
    };
  }
  std::vector<std::shared_ptr<DirectMemory>> lent;
  run::Trial trial{{}, 2, rdma_address(loopback, 21980)};
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
  Bench bench{true, [](int, std::uint64_t) { return errno = ENODEV, -1; }};
  EXPECT_TRUE(run::stream(bench.trial, message, count, 2, 1, 1).right);
  EXPECT_EQ(fake::nic().dmabuf_registrations, 0);
  EXPECT_EQ(fake::nic().from_host, all);
  EXPECT_NE(bench.lent.front()->refused().find("no dma-buf"), std::string::npos);
}

TEST(GpunetDirect, ConnectionsBeyondTheSlicesBounce) {
  Bench bench{true};
  bench.trial.open = [&bench](int, const Dimensions& size, ProxyOptions proxy) {
    proxy.direct =
        bench.lent.emplace_back(std::make_shared<DirectMemory>(1, [](int file, std::uint64_t) { return ::dup(file); }));
    proxy.others = verbs_channels("", proxy.direct);
    return run::open_cpu(size, proxy);
  };
  EXPECT_TRUE(run::stream(bench.trial, message, count, 2, 1, 1).right);
  EXPECT_EQ(fake::nic().from_dmabuf, all / 2);
  EXPECT_EQ(fake::nic().from_host, all / 2);
}

}  // namespace
}  // namespace peerpath::gpunet
