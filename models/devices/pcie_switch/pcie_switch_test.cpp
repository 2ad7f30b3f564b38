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

TEST(PcieSwitch, TwoLevelsAreEnumeratedAndForwardToWhatIsBelow) {
  std::vector<pcie::Function> tree{{.name = "rc.0", .kind = pcie::FunctionKind::root_port}};
  const auto outer = add_functions(tree, "outer", 0, 2);
  const auto inner = add_functions(tree, "inner", outer.downstream[1], 2);
  tree.push_back(
      {.name = "gpu", .parent = inner.downstream[0], .bars = {{.index = 2, .size = 1_GiB, .prefetchable = true}}});
  const pcie::AddressMap map{tree, {}};
  ASSERT_TRUE(map.problems().empty());
  EXPECT_EQ(to_string(map.functions()[static_cast<std::size_t>(*map.find("inner.up"))].bdf), "04:00.0");
  EXPECT_EQ(to_string(map.functions()[static_cast<std::size_t>(*map.find("gpu"))].bdf), "06:00.0");
  EXPECT_EQ(map.find("outer.down1"), outer.downstream[1]);
  for (const int bridge : {0, outer.upstream, outer.downstream[1], inner.upstream, inner.downstream[0]})
    EXPECT_EQ(map.functions()[static_cast<std::size_t>(bridge)].prefetchable.size, 1_GiB);
  for (const int bridge : {outer.downstream[0], inner.downstream[1]})
    EXPECT_EQ(map.functions()[static_cast<std::size_t>(bridge)].prefetchable.size, 0_B);
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
