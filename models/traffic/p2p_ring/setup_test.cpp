#include "analytic/link_efficiency.hpp"
#include "platform/test_run.hpp"

namespace peerpath::platform {
namespace {

/// A ring of `gpus` GPUs below one switch, by links without DLLPs.
scenario::Scenario ring_of(int gpus, BitRate rate) {
  scenario::traffic::P2pRing ring;
  for (int n = 2; n < gpus; ++n) ring.onwards.push_back("gpu" + std::to_string(n));
  auto s = below_one_switch(traffic(ring, "gpu0", "gpu1", rate));
  std::erase_if(s.devices, [](const auto& device) { return device.name == "gpu"; });
  std::erase_if(s.links, [](const auto& link) { return link.to == "gpu"; });
  for (int n = 0; n < gpus; ++n) {
    scenario::Link link;
    link.from = "sw";
    link.to = "gpu" + std::to_string(n);
    link.dllp = pcie::DllpAccounting::none;
    s.devices.push_back({link.to, device::GpuConfig{}});
    s.links.push_back(link);
  }
  return s;
}

/// Payload that a link of the ring carries in one direction, in Gb/s.
double of_link() {
  analytic::LinkUse use;
  use.shape = pcie::LinkShape{5, 16};
  use.max_payload = device::GpuConfig{}.function.max_payload;
  use.dllp = pcie::DllpAccounting::none;
  return static_cast<double>(analytic::write_rate(use).bps()) / 1e9;
}

TEST(P2pRing, FillsTheLinksOfAllItsGpus) {
  for (const int gpus : {2, 3, 4}) {
    const auto goodput = metric_after_run(ring_of(gpus, BitRate{2'400'000'000'000}), "t.goodput_gbps");
    EXPECT_NEAR(goodput, gpus * of_link(), 0.002 * gpus * of_link()) << gpus << " GPUs";
  }
}

TEST(P2pRing, SharesItsRateEvenly) {
  const auto r = results_of(ring_of(4, 400_Gbps));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 400, 1);
  for (const auto* gpu : {"gpu0", "gpu1", "gpu2", "gpu3"})
    for (const auto* way : {"-sw.up.payload_bytes", "-sw.down.payload_bytes"})
      EXPECT_NEAR(metric(r, std::string{gpu} + way) * 8 / 100e3, 100, 1) << gpu << way;  // in 100 us
}

TEST(P2pRing, RefusesAnythingButDifferentGpus) {
  const auto said = [](const char* member) {
    auto s = ring_of(3, 100_Gbps);
    s.traffic[0].as<scenario::traffic::P2pRing>()->onwards[0] = member;
    const auto problems = scenario::check(s);
    return problems.empty() ? std::string{} : problems.front().key + " " + problems.front().message;
  };
  EXPECT_EQ(said("gpu2"), "");
  EXPECT_EQ(said("gpu1"), "/traffic/0/onwards/0 gpu1 is in the ring already");
  EXPECT_EQ(said("dram"), "/traffic/0/onwards/0 dram is a host_memory, not a gpu");
}

}  // namespace
}  // namespace peerpath::platform
