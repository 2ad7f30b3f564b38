#include "devices/host_memory/host_memory.hpp"

#include <gtest/gtest.h>

namespace peerpath::host_memory {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Nobody final : fabric::DeliverySink {
  std::vector<fabric::Delivery> deliveries;
  void deliver(const fabric::Delivery& d) override { deliveries.push_back(d); }
};

struct Bench {
  explicit Bench(std::optional<Bytes> step = {}) {
    config.completion_step = step;
    const auto router = topology.add_router("rc", {});
    memory = topology.add_endpoint("memory", fabric_endpoint(config, {}));
    device = topology.add_endpoint("device", {});
    const fabric::LinkDirection wide{.rate = BitRate{32'000'000'000'000}, .framing = 0_B};
    link = topology.connect(router, memory, wide, wide);
    topology.connect(router, device, wide, wide);
    fabric = fabric::make_fabric(topology, sink, fabric::Mode::event);
  }
  void access(fabric::NodeId from, fabric::NodeId to, pcie::Operation op, pcie::Purpose purpose, Bytes bytes) {
    fabric->submit(from, fabric::ChannelIndex{1}, {.target = to, .op = op, .purpose = purpose, .bytes = bytes});
  }
  device::HostMemoryConfig config{.at = {}, .write_rate = 8_Gbps, .read_rate = 4_Gbps, .read_latency = 100ns};
  fabric::Topology topology;
  fabric::NodeId memory, device;
  fabric::LinkId link;
  Nobody sink;
  std::unique_ptr<fabric::Fabric> fabric;
};

TEST(HostMemory, TakesWritesAndServesReadsAtItsRates) {
  Bench bench;
  bench.access(bench.device, bench.memory, pcie::Operation::memory_write, pcie::Purpose::payload, 256_B);
  bench.access(bench.device, bench.memory, pcie::Operation::memory_read, pcie::Purpose::payload, 256_B);
  bench.fabric->advance(Instant{10us});
  ASSERT_EQ(bench.sink.deliveries.size(), 2U);
  // On both ways the wide link takes 0.25 ps a byte, header included.
  const Duration write_head = 12_B / BitRate{32'000'000'000'000}, data = 256_B / BitRate{32'000'000'000'000};
  EXPECT_EQ(bench.sink.deliveries[0].done, Instant{256ns + write_head + data});
  const Duration request_waits = write_head + data;  // for the write, at the device
  EXPECT_EQ(bench.sink.deliveries[1].done, Instant{request_waits + write_head + 100ns + 512ns + write_head + data});
}

// 512 B from an address that is 32 B above a line: 32 + 7 x 64 + 32 B, asked for by two requests, as MRRS has it.
TEST(HostMemory, CompletionsEndAtMultiplesOfTheStep) {
  const auto completions = [](std::optional<Bytes> step) {
    Bench bench{step};
    bench.fabric->submit(bench.device, fabric::ChannelIndex{1},
                         {.target = bench.memory,
                          .op = pcie::Operation::memory_read,
                          .purpose = pcie::Purpose::payload,
                          .address = 0x1020,
                          .bytes = 512_B});
    bench.fabric->advance(Instant{10us});
    EXPECT_EQ(bench.sink.deliveries.size(), 1U);
    return bench.fabric->counters(bench.link, 1).tally(bench.device, pcie::Purpose::payload).tlps +
           bench.fabric->counters(bench.link, 0).tally(bench.device, pcie::Purpose::payload).tlps - 2;
  };
  EXPECT_EQ(completions(64_B), 9);
  EXPECT_EQ(completions(128_B), 5);
  EXPECT_EQ(completions(std::nullopt), 3) << "MPS of 256 B";
  EXPECT_EQ(completions(4096_B), 3) << "never more than MPS";
}

TEST(HostMemory, LeavesRoomForTheDevicesBelowFourGib) {
  device::HostMemoryConfig config;
  config.size = 16_GiB;
  const auto map = regions("dram", config);
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map[0].size, 3_GiB);
  EXPECT_EQ(map[1].base, BusAddress{std::uint64_t{4} << 30});
  EXPECT_EQ(map[1].size, 13_GiB);
}

}  // namespace
}  // namespace peerpath::host_memory
