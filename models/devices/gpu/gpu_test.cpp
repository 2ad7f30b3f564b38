#include "devices/gpu/gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "devices/nic/test_outbox.hpp"
#include "loop/loop.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::gpu {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using host_cpu::CopyDirection;

constexpr fabric::NodeId host_node{1}, gpu_node{2};
constexpr std::uint64_t completions_at = 0x1000;

/// Rings the doorbell for each request at its time, and notes the completions.
class Driver final : public device::Endpoint {
 public:
  explicit Driver(host_cpu::CopyRequests& requests) : requests_{requests} {}

  void copy(std::uint64_t at, Bytes bytes, Instant when, CopyDirection direction = CopyDirection::to_gpu) {
    const auto handle = requests_.add({.direction = direction,
                                       .host = {host_node, BusAddress{at}},
                                       .gpu = GpuAddress{0},
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
  explicit Bench(device::GpuConfig config = {}, CopyEngineShape shape = {}) : config{config}, gpu{config, shape} {
    gpu.serve(host_node, requests);
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
    loop->add(gpu, {.node = gpu_node, .channels = config.copy_engines, .windows = {}, .hears_arrivals = true});
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

fabric::Delivery doorbell(fabric::NodeId host, std::uint64_t handle) {
  fabric::Delivery d;
  d.kind = fabric::DeliveryKind::arrived;
  d.purpose = pcie::Purpose::doorbell;
  d.requester = host;
  d.cookie = handle;
  return d;
}

Instant ns(std::int64_t n) { return Instant{std::chrono::nanoseconds{n}}; }

TEST(Aperture, IsWhereBusAndGpuAddressesMeet) {
  const Aperture aperture{BusAddress{0x100'0000'0000}, 1_GiB};
  EXPECT_EQ(aperture.to_bus(GpuAddress{0x1234}), BusAddress{0x100'0000'1234});
  EXPECT_EQ(aperture.to_bus(GpuAddress{1 << 30}), std::nullopt);
  EXPECT_EQ(aperture.to_gpu(BusAddress{0x100'0000'1234}), GpuAddress{0x1234});
  EXPECT_EQ(aperture.to_gpu(BusAddress{0xff'ffff'ffff}), std::nullopt);
}

/// Both ways it is one copy, done and said to be done once.
void copy_10000_bytes(Bench& bench, CopyDirection direction) {
  bench.driver.copy(0x10'0000, 10000_B, ns(0), direction);
  bench.run(ns(50'000));
  ASSERT_EQ(bench.driver.done.size(), 1U);
  EXPECT_EQ(bench.driver.done[0].first, 0U);
  EXPECT_EQ(bench.gpu.counters().copies, 1);
  EXPECT_EQ(bench.gpu.counters().failed, 0);
  EXPECT_EQ(bench.gpu.counters().bytes, 10000_B);
  EXPECT_EQ(bench.gpu.pending(), 0U);
}

TEST(Gpu, CopiesFromHostMemoryAndSaysWhenItIsDone) {
  Bench bench;
  copy_10000_bytes(bench, CopyDirection::to_gpu);
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

TEST(Gpu, CopiesToHostMemoryByPostedWritesAndReadsNothing) {
  Bench bench;
  copy_10000_bytes(bench, CopyDirection::from_gpu);
  const auto& up = bench.loop->fabric().counters(bench.link_to_gpu, 1).tally(gpu_node, pcie::Purpose::payload);
  EXPECT_EQ(up.payload, 10000_B);
  EXPECT_EQ(up.tlps, 40);  // of 256 B, 16 of them the last
  EXPECT_EQ(bench.crossed(pcie::Purpose::payload, 0), 0_B);
  EXPECT_EQ(bench.crossed(pcie::Purpose::completion_entry, 1), host_cpu::copy_completion_size);
}

TEST(Gpu, TheCompletionIsRightBehindTheDataThatItWrites) {
  Bench bench;
  bench.driver.copy(0, 512_B, ns(0), CopyDirection::from_gpu);
  bench.run(ns(20'000));
  ASSERT_EQ(bench.driver.done.size(), 1U);
  const auto doorbell = 150ns + 20ns;                      // 12 B of header and 8 B at a byte a nanosecond
  const Duration service = 8_B / bench.config.write_rate;  // the GPU takes it in
  const auto written = 2 * (12ns + 256ns) + 20ns + 150ns;  // two writes, the completion, and through the router
  const Instant expected = Instant{doorbell + service + bench.config.copy_setup + written};
  EXPECT_EQ(femtoseconds(bench.driver.done[0].second), femtoseconds(expected));
}

TEST(Gpu, KeepsNoMoreWritesInFlightThanItMay) {
  Bench narrow{{}, {.chunk = 256_B, .outstanding = 1}};
  narrow.driver.copy(100, 1000_B, ns(0), CopyDirection::from_gpu);  // cut at 256, 512, 768, 1024
  narrow.run(ns(60'000));
  Bench wide{{}, {.chunk = 256_B, .outstanding = 8}};
  wide.driver.copy(100, 1000_B, ns(0), CopyDirection::from_gpu);
  wide.run(ns(60'000));
  ASSERT_EQ(narrow.driver.done.size(), 1U);
  ASSERT_EQ(wide.driver.done.size(), 1U);
  // Each but the last waits until it has arrived: through the router, while the link is idle.
  EXPECT_EQ(narrow.driver.done[0].second - wide.driver.done[0].second, Duration{4 * 150ns});
}

TEST(Gpu, TwoEnginesCopyBothWaysAtOnceAndOneInTurn) {
  const auto last = [](int engines) {
    device::GpuConfig config;
    config.copy_engines = engines;
    Bench bench{config};
    bench.driver.copy(0, 64_KiB, ns(0));
    bench.driver.copy(1 << 20, 64_KiB, ns(0), CopyDirection::from_gpu);
    bench.run(ns(400'000));
    EXPECT_EQ(bench.driver.done.size(), 2U);
    EXPECT_EQ(bench.gpu.counters().bytes, 128_KiB);
    return bench.driver.done.back().second - ns(0);
  };
  const Duration each = 256 * ((256_B + 12_B) / 8_Gbps);  // on the link, one way
  EXPECT_LT(last(2), each + Duration{5us});
  EXPECT_GT(last(1), 2 * each);
}

TEST(Gpu, AnEngineAtWorkTheOtherWayIsNotChosenForHavingLessLeft) {
  host_cpu::CopyRequests requests;
  Gpu gpu{{}};
  gpu.serve(host_node, requests);
  nic::TestOutbox out;
  for (const auto& [direction, bytes] :
       {std::pair{CopyDirection::to_gpu, 32_KiB}, {CopyDirection::from_gpu, 16_KiB}, {CopyDirection::to_gpu, 4_KiB}}) {
    const auto handle = requests.add({.direction = direction,
                                      .host = {host_node, BusAddress{0}},
                                      .bytes = bytes,
                                      .completion = {host_node, BusAddress{completions_at}}});
    gpu.on_delivery(doorbell(host_node, handle), out);
  }
  for (const auto& [timer, when] : std::map{out.timers}) gpu.on_wake(timer, when, out);
  const auto of = [&](int engine) {
    return std::ranges::count(out.channels, fabric::ChannelIndex{static_cast<std::uint16_t>(engine + 1)});
  };
  EXPECT_EQ(of(0), 8 + 1);  // chunks of both reads
  EXPECT_EQ(of(1), 4 + 1);  // of the writes, and their completion
}

TEST(Gpu, WritesOfPeersAreNotItsOwn) {
  host_cpu::CopyRequests requests;
  Gpu gpu{{}};
  gpu.serve(host_node, requests);
  nic::TestOutbox out;
  const auto handle = requests.add({.direction = CopyDirection::from_gpu,
                                    .host = {host_node, BusAddress{0}},
                                    .bytes = 4_KiB,
                                    .completion = {host_node, BusAddress{completions_at}}});
  gpu.on_delivery(doorbell(host_node, handle), out);
  gpu.on_wake(device::TimerId{0}, out.timers.at(device::TimerId{0}), out);
  ASSERT_EQ(out.transactions.size(), 2U);  // the data and the completion
  auto mine = nic::delivery_of(out.transactions[0], ns(5'000)), of_a_peer = mine;
  mine.channel = out.channels[0];
  of_a_peer.target = gpu_node;
  gpu.on_delivery(of_a_peer, out);
  EXPECT_EQ(gpu.pending(), 1U);
  gpu.on_delivery(mine, out);
  EXPECT_EQ(gpu.pending(), 0U);
}

TEST(Gpu, EachHostHasATableOfItsOwn) {
  const fabric::NodeId other_host{3};
  host_cpu::CopyRequests requests, others;
  Gpu gpu{{}};
  gpu.serve(host_node, requests);
  gpu.serve(other_host, others);
  nic::TestOutbox out;
  const auto add = [](host_cpu::CopyRequests& table, fabric::NodeId host, std::uint64_t at) {
    return table.add({.host = {host, BusAddress{at}}, .bytes = 64_B, .completion = {host, BusAddress{completions_at}}});
  };
  const auto mine = add(requests, host_node, 0x10'0000), its = add(others, other_host, 0x20'0000);
  ASSERT_EQ(mine, its);  // handles tell requests of one host apart
  gpu.on_delivery(doorbell(host_node, mine), out);
  gpu.on_delivery(doorbell(other_host, its), out);
  for (const auto& [timer, when] : std::map{out.timers}) gpu.on_wake(timer, when, out);
  ASSERT_EQ(out.transactions.size(), 2U);
  EXPECT_EQ(out.transactions[0].target, host_node);
  EXPECT_EQ(out.transactions[0].address, 0x10'0000U);
  EXPECT_EQ(out.transactions[1].target, other_host);
  EXPECT_EQ(out.transactions[1].address, 0x20'0000U);
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
  EXPECT_GT(bench.gpu.busy_until(ns(60'000)), Duration{2 * 4096ns});
  EXPECT_LT(bench.gpu.busy_until(ns(60'000)), Duration{2 * 6000ns});
}

TEST(Gpu, EnginesAreBusyWhileTheyCopy) {
  Bench bench;
  bench.driver.copy(0, 1_MiB, ns(0));  // on a link of a byte a nanosecond
  bench.run(ns(20'000));
  const auto then = bench.gpu.busy_until(ns(20'000));
  EXPECT_GT(then, Duration{17us});
  bench.loop->run_until(ns(30'000));
  EXPECT_EQ(bench.gpu.busy_until(ns(30'000)), then + 10us);
}

}  // namespace
}  // namespace peerpath::gpu
