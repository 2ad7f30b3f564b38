#include "devices/pcie_switch/pcie_switch.hpp"

#include <gtest/gtest.h>

#include "devices/root_complex/root_complex.hpp"

namespace peerpath::pcie_switch {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(PcieSwitch, IsARouterWithItsLatency) {
  EXPECT_EQ(router({.latency = 105ns, .max_payload_supported = 512_B}).latency, Duration{105ns});
}

TEST(PcieSwitch, DownstreamPortsHaveEveryAcsControl) {
  const pcie::FunctionRegisters up{upstream_port({}, {5, 16})}, down{downstream_port({}, 7, {5, 16})};
  EXPECT_FALSE(up.space().find_extended_capability(pcie::extended_capability_acs));
  const auto at = *down.space().find_extended_capability(pcie::extended_capability_acs);
  EXPECT_EQ(down.space().read(at + 4, 2), 0x7fU);
  EXPECT_EQ(down.acs_control(), 0);  // peers reach each other until software decides otherwise
}

}  // namespace
}  // namespace peerpath::pcie_switch
