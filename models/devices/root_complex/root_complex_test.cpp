#include "devices/root_complex/root_complex.hpp"

#include <gtest/gtest.h>

namespace peerpath::root_complex {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(RootComplex, IsARouterWithItsLatency) {
  EXPECT_EQ(router({.latency = 130ns, .max_payload_supported = 512_B}).latency, Duration{130ns});
}

TEST(RootComplex, ARootPortIsABridgeOfItsLinkWithAcs) {
  const pcie::FunctionRegisters port{root_port({}, 3, {5, 16})};
  EXPECT_EQ(port.space().read(0x0e, 1), 1U);
  EXPECT_EQ(port.link(), (pcie::LinkShape{5, 16}));
  const auto express = *port.space().find_capability(pcie::capability_pci_express);
  EXPECT_EQ(port.space().read(express + 2, 2) >> 4 & 15, 4U);  // root port
  EXPECT_EQ(port.space().read(express + 12, 4) >> 24, 3U);     // port number
  EXPECT_TRUE(port.space().find_extended_capability(pcie::extended_capability_acs));
}

}  // namespace
}  // namespace peerpath::root_complex
