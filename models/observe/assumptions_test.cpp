#include "observe/assumptions.hpp"

#include <gtest/gtest.h>

#include "observe/sample_results.hpp"

namespace peerpath::observe {
namespace {

/// nic0 and gpu0 below one root port or below two, and a stream from one to the other.
struct Peers {
  Results results = sample_results();
  scenario::Scenario scenario;

  explicit Peers(bool own_ports) {
    if (own_ports) results.links = {sample_link("nic0", "rc0"), sample_link("gpu0", "rc0")};
    scenario.devices = {{"rc0", device::RootComplexConfig{}}, {"dram0", device::HostMemoryConfig{}}};
  }
  device::RootComplexConfig& root() { return std::get<device::RootComplexConfig>(scenario.devices[0].config); }
  std::vector<std::string> said() const { return flattering_assumptions(results, scenario); }
};

TEST(FlatteringAssumptions, ARootComplexThatPassesAnyRateBetweenPeersIsNamed) {
  Peers peers{true};
  ASSERT_EQ(peers.said().size(), 1u);
  EXPECT_TRUE(peers.said()[0].starts_with("rc0 passes stream between its root ports without a limit"));
}

TEST(FlatteringAssumptions, ALimitOfThatWayIsEnough) {
  Peers peers{true};
  peers.root().peer_to_peer = device::PeerConfig{.write_rate = 100_Gbps};
  EXPECT_TRUE(peers.said().empty());
  peers.results.traffic[0].kind = "transmit";  // is read
  EXPECT_EQ(peers.said().size(), 1u);
  peers.root().peer_to_peer->read_rate = 100_Gbps;
  EXPECT_TRUE(peers.said().empty());
}

TEST(FlatteringAssumptions, WhatStaysBelowOneSwitchIsNoMatter) { EXPECT_TRUE(Peers{false}.said().empty()); }

TEST(FlatteringAssumptions, NorIsHostMemory) {
  Peers peers{true};
  peers.results.traffic[0].to = "dram0";
  EXPECT_TRUE(peers.said().empty());
}

TEST(FlatteringAssumptions, NorWhatBouncesThroughIt) {
  Peers peers{true};
  peers.results.traffic[0].path = "bounce";
  EXPECT_TRUE(peers.said().empty());
}

TEST(FlatteringAssumptions, LoadsInFlightDecideTheRateOfCopiesByKernels) {
  Peers peers{false};
  peers.scenario.devices.push_back(
      {"gpu0", device::GpuConfig{.kernels = device::KernelsConfig{.copy_in_flight = 48_KiB}}});
  scenario::Traffic copy;
  copy.name = "weights";
  copy.what = scenario::traffic::Copy{};
  copy.from = "dram0";
  copy.to = "gpu0";
  peers.scenario.traffic = {copy};
  EXPECT_TRUE(peers.said().empty());
  peers.scenario.traffic[0].as<scenario::traffic::Copy>()->by = scenario::CopyBy::kernel;
  ASSERT_EQ(peers.said().size(), 1u);
  EXPECT_NE(peers.said()[0].find("weights keep 48KiB of loads in flight"), std::string::npos) << peers.said()[0];
}

}  // namespace
}  // namespace peerpath::observe
