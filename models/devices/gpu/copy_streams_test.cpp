#include "devices/gpu/copy_streams.hpp"

#include <gtest/gtest.h>

#include "devices/gpu/gpu.hpp"
#include "loop/loop.hpp"

namespace peerpath::gpu {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr fabric::NodeId copied_host{1}, first_gpu{2}, second_gpu{3};
constexpr nic::MemoryPlace buffer{copied_host, BusAddress{0x1'0000'0000}};

device::GpuConfig config_with(device::CopiesConfig copies, device::KernelsConfig kernels = {}) {
  device::GpuConfig config;
  config.copies = copies;
  config.kernels = kernels;
  return config;
}

/// One or two GPUs on links of a byte a nanosecond without link-layer bytes.
struct CopyBench {
  explicit CopyBench(const device::GpuConfig& config) : gpus{CopyStreams{config}, CopyStreams{config}} {
    const auto router = topology.add_router("rc", {.latency = 150ns});
    const fabric::LinkDirection wide{.rate = BitRate{32'000'000'000'000}, .framing = 0_B};
    const fabric::LinkDirection link{.rate = 8_Gbps, .framing = 0_B};
    auto endpoint = fabric_endpoint(config);
    endpoint.channels = 2;
    topology.connect(router, topology.add_endpoint("host", {.max_completion = 256_B, .read_latency = 90ns}), wide,
                     wide);
    topology.connect(router, topology.add_endpoint("gpu0", endpoint), link, link);
    topology.connect(router, topology.add_endpoint("gpu1", endpoint), link, link);
  }
  std::size_t add(CopyWork work, std::size_t gpu = 0) {
    ends.emplace_back();
    work.done = [this, n = ends.size() - 1](Instant, Instant end, Bytes) { ends[n].push_back(end); };
    return gpus[gpu].add(std::move(work));
  }
  void run(Instant end) {
    loop.emplace(topology, fabric::Mode::event);
    std::vector<device::DeviceIndex> at;
    for (std::size_t n = 0; n < 2; ++n)
      at.push_back(
          loop->add(gpus[n], {.node = n == 0 ? first_gpu : second_gpu, .channels = 2, .hears_arrivals = true}));
    loop->connect({at[0], 7}, {at[1], 7}, {BitRate{400'000'000'000'000}, 4us});
    loop->run_until(end);
  }
  Duration between(std::size_t stream) const { return ends[stream][2] - ends[stream][1]; }

  CopyStreams gpus[2];
  fabric::Topology topology;
  std::vector<std::vector<Instant>> ends;
  std::optional<loop::Loop> loop;
};

constexpr device::CopiesConfig known{.setup_to = 1us,
                                     .setup_from = 2us,
                                     .setup_to_busy = 5us,
                                     .setup_from_busy = 7us,
                                     .inline_limit = 1024_B,
                                     .submit_inline = 10us,
                                     .submit_to = 20us,
                                     .submit_from = 30us,
                                     .hand_over_to = 4us,
                                     .hand_over_from = 5us,
                                     .peer_setup = 3us,
                                     .peer_rate = BitRate{80'000'000'000}};

TEST(CopyStreams, OneCopyFollowsTheOtherAfterItsSetup) {
  CopyBench bench{config_with(known)};
  bench.add({.way = CopyWork::Way::to_gpu, .host = buffer, .sizes = {256_B}});
  bench.run(Instant{100us});
  // Request of 16 B, 150 ns, 90 ns, 150 ns, completion of 268 B.
  const auto trip = 16ns + 150ns + 90ns + 150ns + 268ns;
  EXPECT_NEAR(femtoseconds(bench.between(0)), femtoseconds(Duration{1us + trip}), 1e6);
}

TEST(CopyStreams, WritesArePacedByTheEngine) {
  auto copies = known;
  copies.write_rate = 4_Gbps;
  CopyBench bench{config_with(copies)};
  bench.add({.way = CopyWork::Way::from_gpu, .host = buffer, .sizes = {1_MiB}});
  bench.run(Instant{20ms});
  EXPECT_NEAR(static_cast<double>(femtoseconds(bench.between(0))) / 1e6, 2.0 * (1 << 20), 5000);
}

TEST(CopyStreams, TheSetupIsAnotherWhileTheOtherEngineIsAtWork) {
  CopyBench bench{config_with(known)};
  bench.add({.way = CopyWork::Way::to_gpu, .host = buffer, .sizes = {256_B}});
  bench.add({.way = CopyWork::Way::from_gpu, .host = buffer, .sizes = {256_B}});
  bench.run(Instant{200us});
  EXPECT_GT(bench.between(0), 5us);
  EXPECT_GT(bench.between(1), 7us);
  EXPECT_LT(bench.between(1), 8us);
}

TEST(CopyStreams, ASingleCopyTakesItsSubmissionBySizeAndWay) {
  for (const auto& [way, size, setup] : {std::tuple{CopyWork::Way::to_gpu, 1024_B, Duration{10us}},
                                         std::tuple{CopyWork::Way::to_gpu, 1025_B, Duration{20us}},
                                         std::tuple{CopyWork::Way::from_gpu, 1024_B, Duration{30us}}}) {
    CopyBench bench{config_with(known)};
    bench.add({.way = way, .single = true, .host = buffer, .sizes = {size}});
    bench.run(Instant{200us});
    EXPECT_GT(bench.between(0), setup);
    EXPECT_LT(bench.between(0), setup + 2us);
  }
}

TEST(CopyStreams, AKernelPaysItsLaunchAndItsReadsTheWayThroughTheGpu) {
  CopyBench bench{config_with(known, {.read_latency = 400ns, .launch_to = 6us})};
  bench.add({.way = CopyWork::Way::to_gpu, .by_kernel = true, .host = buffer, .sizes = {128_B}});
  bench.run(Instant{100us});
  const auto trip = 16ns + 150ns + 90ns + 150ns + 140ns;
  EXPECT_NEAR(femtoseconds(bench.between(0)), femtoseconds(Duration{6us + trip + 400ns}), 1e6);
}

TEST(CopyStreams, ACopyToAPeerTakesItsRate) {
  CopyBench bench{config_with(known)};
  bench.add({.way = CopyWork::Way::to_peer, .sizes = {1_MiB}});
  bench.run(Instant{10ms});
  EXPECT_EQ(bench.between(0), 3us + 1_MiB / BitRate{80'000'000'000});
}

TEST(CopyStreams, AStagedCopyIsAPipelineOfItsChunks) {
  CopyBench bench{config_with(known)};
  const CopyWork both{.host = buffer, .sizes = {1_MiB}, .chunk = 64_KiB, .port = 7};
  auto down = both, up = both;
  down.way = CopyWork::Way::from_gpu, down.stage = CopyWork::Stage::first;
  up.way = CopyWork::Way::to_gpu, up.stage = CopyWork::Stage::second;
  bench.add(down, 0);
  bench.add(up, 1);
  bench.run(Instant{20ms});
  // The end of the copy before is told. Sixteen chunks are written, 16 B with every 256 B, each 5 us after the one
  // before has arrived; the last one is handed over and read, 12 B with every 256 B, behind its request.
  const double written = 65536 * 272.0 / 256, read = 65536 * 268.0 / 256, request = 16 + 150 + 90 + 150;
  ASSERT_GE(bench.ends[1].size(), 3u);
  EXPECT_NEAR(static_cast<double>(femtoseconds(bench.between(1))) / 1e6,
              4000 + 16 * (5000 + written + 150) + 4000 + request + read, 100);
  EXPECT_TRUE(bench.ends[0].empty()) << "a staged copy is over when its second part is";
}

TEST(CopyStreams, CopiesAreOfferedAtTheirRate) {
  CopyBench bench{config_with(known)};
  bench.add({.way = CopyWork::Way::to_gpu, .host = buffer, .sizes = {256_B}, .rate = BitRate{40'960'000}});
  bench.run(Instant{1ms});
  EXPECT_EQ(bench.between(0), 50us);
}

}  // namespace
}  // namespace peerpath::gpu
