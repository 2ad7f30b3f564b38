#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "devices/gpunet_proxy/test_bench.hpp"

namespace peerpath::proxy {
namespace {

Duration median(const std::vector<Over>& over) {
  std::vector<Duration> all;
  for (const auto& one : over) all.push_back(one.at.back() - one.at.front());
  std::ranges::sort(all);
  return all[all.size() / 2];
}

Duration echo_of(Bytes size, int flows = 1, const device::GpunetProxyConfig& config = {}) {
  SocketsBench bench{{}};
  bench.echo(config, {size}, flows);
  bench.run(4ms);
  EXPECT_GT(bench.over.size(), 10u);
  return median(bench.over);
}

TEST(GpuSockets, AnEchoIsTheSumOfWhatItsPartsTake) {
  const device::GpunetProxyConfig config;
  const auto& u = config.local;
  // Two calls of the program, two of the proxy, two ways through the kernel, two calls of the block.
  const auto calls = 2 * (u.send + u.receive + u.latency + config.block.call);
  const Duration look = 150ns + 150ns + 377ns + 559ns;  // there and back by the router, GPU, memory
  const auto took = echo_of(64_B);
  EXPECT_GT(took, calls + look / 2);
  EXPECT_LT(took, calls + 3 * look + 1us);
}

TEST(GpuSockets, BytesInTheRingTakeALoadAndARelease) {
  const device::GpunetProxyConfig config;
  EXPECT_GT(echo_of(125_B) - echo_of(124_B), config.block.release);
}

TEST(GpuSockets, OneProxyServesManyConnectionsInTurn) {
  const device::GpunetProxyConfig config;
  const auto each = config.local.send + config.local.receive;
  const auto of_16 = echo_of(64_B, 16), of_32 = echo_of(64_B, 32);
  EXPECT_GT(of_32 - of_16, 16 * each);
  EXPECT_LT(of_32 - of_16, 48 * each);
}

TEST(GpuSockets, TwoThreadsServeThemFaster) {
  device::GpunetProxyConfig two;
  two.threads = 2;
  EXPECT_LT(echo_of(64_B, 32, two), echo_of(64_B, 32));
}

TEST(GpuSockets, MomentsComeInTheirOrder) {
  SocketsBench bench{{}};
  bench.stream({}, {16_KiB}, 3);
  bench.run(2ms);
  ASSERT_GT(bench.over.size(), 20u);
  for (const auto& one : bench.over) EXPECT_TRUE(std::ranges::is_sorted(one.at));
}

TEST(GpuSockets, AStreamIsAsFastAsItsSlowestPart) {
  device::GpunetProxyConfig config;
  config.block.in_flight = 32_KiB;
  config.local.receive_rate = 20_Gbps;
  SocketsBench bench{{}};
  bench.stream(config, {1_MiB}, 1);
  bench.run(20ms);
  Bytes moved{};
  for (const auto& one : bench.over) moved += one.size;
  const auto rate = static_cast<double>(moved.count()) * 8 / 20e-3 / 1e9;
  EXPECT_GT(rate, 15);
  EXPECT_LE(rate, 20);
}

TEST(GpuSockets, AProxyIsBusyNoLongerThanTheTimeThatHasPassed) {
  SocketsBench bench{{}};
  bench.stream({}, {64_KiB}, 16);  // calls of several microseconds each
  Duration busy{};
  for (Duration passed = 100us; passed < 200us; passed += 700ns) {
    bench.run(passed);
    const auto more = bench.proxy(0).busy - std::exchange(busy, bench.proxy(0).busy);
    EXPECT_LE(more, passed == 100us ? Duration{100us} : Duration{700ns}) << passed.count();
  }
  EXPECT_GT(busy, 100us);
}

TEST(GpuSockets, NothingIsLostThoughCreditsRunOut) {
  device::GpunetProxyConfig config;
  config.ring = 64_KiB;
  config.local.buffer = 64_KiB;
  SocketsBench bench{{}};
  bench.stream(config, {4_KiB, 100_B, 70_KiB}, 4);
  bench.run(5ms);
  EXPECT_GT(bench.proxy(0).stalls + bench.proxy(1).stalls, 0);
  EXPECT_GT(bench.over.size(), 100u);
}

TEST(GpuSockets, TheGpuIsAskedAllTheTime) {
  SocketsBench bench{{}};
  bench.echo({}, {64_B}, 1);
  bench.run(1ms);
  EXPECT_GT(bench.blocks(0).polls, 300);
  EXPECT_LT(bench.blocks(0).polls, 1000);
}

TEST(GpuSockets, TheSameInputGivesTheSameTimes) { EXPECT_EQ(echo_of(4_KiB, 5), echo_of(4_KiB, 5)); }

}  // namespace
}  // namespace peerpath::proxy
