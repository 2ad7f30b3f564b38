#include "core/devices/gpu/gpu.hpp"

#include <gtest/gtest.h>

#include "core/loop/loop.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::gpu {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr fabric::NodeId host_node{1}, gpu_node{2};
constexpr std::uint64_t completions_at = 0x1000;

/// Rings the doorbell for each request at its time, and notes the completions.
class Driver final : public device::Endpoint {
 public:
  explicit Driver(host_cpu::CopyRequests& requests) : requests_{requests} {}

  void copy(std::uint64_t source, Bytes bytes, Instant when) {
    const auto handle = requests_.add({.source = {host_node, BusAddress{source}},
                                       .destination = GpuAddress{0},
                                       .bytes = bytes,
                                       .completion = {host_node, BusAddress{completions_at}}});
    rings_.push_back({handle, when});
  }
  void start(device::Outbox& out) override {
    for (const auto& [handle, when] : rings_)
      out.submit(fabric::ChannelIndex{1}, {.cookie = handle,
                                           .target = gpu_node,
                                           .purpose = pcie::Purpose::doorbell,
                                           .notify_target = true,
                                           .address = 0xc000'0000,
                                           .bytes = host_cpu::copy_doorbell_size,
                                           .ready = when});
  }
  void on_delivery(const fabric::Delivery& d, device::Outbox&) override {
    if (d.purpose == pcie::Purpose::completion_entry) done.push_back({d.cookie, d.done});
  }
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}

  std::vector<std::pair<std::uint64_t, Instant>> done;

 private:
  host_cpu::CopyRequests& requests_;
  std::vector<std::pair<std::uint64_t, Instant>> rings_;
};

struct Bench {
  explicit Bench(device::GpuConfig config = {}, CopyEngineShape shape = {})
      : config{config}, gpu{config, requests, shape} {
    const auto router = topology.add_router("rc", {.latency = 150ns});
    // 8 Gb/s is a byte a nanosecond; no link-layer bytes, no propagation.
    const fabric::LinkDirection wide{.rate = BitRate{32'000'000'000'000}, .framing = 0_B};
    const fabric::LinkDirection link{.rate = 8_Gbps, .framing = 0_B};
    link_to_host = topology.connect(router, topology.add_endpoint("host", memory), wide, wide);
    link_to_gpu = topology.connect(router, topology.add_endpoint("gpu", fabric_endpoint(config)), link, link);
  }
  void run(Instant end) {
    loop.emplace(topology, fabric::Mode::event);
    loop->add(driver, {.node = host_node, .channels = 1, .windows = {}});
    loop->add(gpu, {.node = gpu_node, .channels = config.copy_engines, .windows = {}});
    loop->run_until(end);
  }
  Bytes crossed(pcie::Purpose purpose, int direction) {
    return loop->fabric().counters(link_to_gpu, direction).tally(gpu_node, purpose).payload;
  }

  device::GpuConfig config;
  fabric::Endpoint memory{.max_completion = 256_B, .read_latency = 90ns, .channels = 1};
  host_cpu::CopyRequests requests;
  Driver driver{requests};
  Gpu gpu;
  fabric::Topology topology;
  fabric::LinkId link_to_host, link_to_gpu;
  std::optional<loop::Loop> loop;
};

Instant ns(std::int64_t n) { return Instant{std::chrono::nanoseconds{n}}; }

TEST(Aperture, IsWhereBusAndGpuAddressesMeet) {
  const Aperture aperture{BusAddress{0x100'0000'0000}, 1_GiB};
  EXPECT_EQ(aperture.to_bus(GpuAddress{0x1234}), BusAddress{0x100'0000'1234});
  EXPECT_EQ(aperture.to_bus(GpuAddress{1 << 30}), std::nullopt);
  EXPECT_EQ(aperture.to_gpu(BusAddress{0x100'0000'1234}), GpuAddress{0x1234});
  EXPECT_EQ(aperture.to_gpu(BusAddress{0xff'ffff'ffff}), std::nullopt);
}

TEST(Gpu, CopiesFromHostMemoryAndSaysWhenItIsDone) {
  Bench bench;
  bench.driver.copy(0x10'0000, 10000_B, ns(0));
  bench.run(ns(50'000));
  ASSERT_EQ(bench.driver.done.size(), 1U);
  EXPECT_EQ(bench.driver.done[0].first, 0U);
  EXPECT_EQ(bench.gpu.counters().copies, 1);
  EXPECT_EQ(bench.gpu.counters().failed, 0);
  EXPECT_EQ(bench.gpu.counters().bytes, 10000_B);
  EXPECT_EQ(bench.gpu.pending(), 0U);
  EXPECT_EQ(bench.crossed(pcie::Purpose::payload, 0), 10000_B);  // rc to gpu: completions with data
  EXPECT_EQ(bench.crossed(pcie::Purpose::payload, 1), 0_B);
  EXPECT_EQ(bench.crossed(pcie::Purpose::completion_entry, 1), host_cpu::copy_completion_size);
}

TEST(Gpu, TheFirstReadComesOneSetUpAfterTheDoorbell) {
  // The wide link costs nothing: cut-through hides a fast ingress, and a fast egress ends with the arriving tail.
  Bench bench;
  bench.driver.copy(0, 64_B, ns(0));
  bench.run(ns(20'000));
  ASSERT_EQ(bench.driver.done.size(), 1U);
  const auto router = 150ns;
  const auto doorbell = router + 20ns;                     // 12 B of header and 8 B at a byte a nanosecond
  const Duration service = 8_B / bench.config.write_rate;  // the GPU takes it in
  const auto read = router + 12ns + bench.memory.read_latency + router + 76ns;
  const auto completion = router + 20ns;
  const Instant expected = Instant{doorbell + service + bench.config.copy_setup + read + completion};
  EXPECT_EQ(femtoseconds(bench.driver.done[0].second), femtoseconds(expected));
}

TEST(Gpu, TwoEnginesShareTheCopiesAndOneKeepsTheirOrder) {
  device::GpuConfig one;
  one.copy_engines = 1;
  Bench serial{one};
  for (int i = 0; i < 4; ++i) serial.driver.copy(static_cast<std::uint64_t>(i) << 16, 4_KiB, ns(0));
  serial.run(ns(60'000));
  ASSERT_EQ(serial.driver.done.size(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(serial.driver.done[i].first, i);
  // Reads of one copy overlap those of the next: after the first, each takes its own time on the link only.
  const Duration each = 16 * ((256_B + 12_B) / 8_Gbps);
  EXPECT_EQ(serial.driver.done[3].second - serial.driver.done[2].second, each);
}

TEST(Gpu, KeepsNoMoreChunksInFlightThanItMay) {
  Bench narrow{{}, {.chunk = 256_B, .outstanding = 1}};
  narrow.driver.copy(100, 1000_B, ns(0));  // cut at 256, 512, 768, 1024
  narrow.run(ns(60'000));
  ASSERT_EQ(narrow.driver.done.size(), 1U);
  const auto& tally = narrow.loop->fabric().counters(narrow.link_to_gpu, 1).tally(gpu_node, pcie::Purpose::payload);
  EXPECT_EQ(tally.tlps, 5);
  Bench wide{{}, {.chunk = 256_B, .outstanding = 8}};
  wide.driver.copy(100, 1000_B, ns(0));
  wide.run(ns(60'000));
  ASSERT_EQ(wide.driver.done.size(), 1U);
  EXPECT_GT(narrow.driver.done[0].second - wide.driver.done[0].second, Duration{4 * 400ns});
}

TEST(Gpu, EnginesAreBusyOnlyWithReadsInFlight) {
  Bench bench;
  bench.driver.copy(0, 4_KiB, ns(0));
  bench.driver.copy(0, 4_KiB, ns(20'000));
  bench.run(ns(60'000));
  EXPECT_EQ(bench.gpu.counters().copies, 2);
  EXPECT_GT(bench.gpu.counters().busy, Duration{2 * 4096ns});
  EXPECT_LT(bench.gpu.counters().busy, Duration{2 * 6000ns});
}

}  // namespace
}  // namespace peerpath::gpu
