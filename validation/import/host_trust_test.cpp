#include "validation/import/host_trust.hpp"

#include <gtest/gtest.h>

namespace peerpath::import {
namespace {

using pcie::HostBridgeList;

std::vector<Function> functions_of(const std::string& text) { return *parse_lspci(text, "d.txt"); }

HostBridgeList trust_of(const std::string& first) {
  const auto functions = functions_of(first + "\n");
  return host_trust(host_bridge_device(functions, 0, 0));
}

TEST(HostTrust, FollowsTheKernelsListById) {
  EXPECT_EQ(trust_of("00:00.0 Host bridge [0600]: Intel Corporation A [8086:2f00] (rev 02)"),
            HostBridgeList::same_bridge_only);
  EXPECT_EQ(trust_of("00:00.0 Host bridge [0600]: Intel Corporation A [8086:6f00] (rev 01)"), HostBridgeList::unlisted);
  EXPECT_EQ(trust_of("00:00.0 0600: 8086:09a2 (rev 04)"), HostBridgeList::listed);
  EXPECT_EQ(trust_of("00:00.0 System peripheral: Intel Corporation Device 09a2 (rev 04)"), HostBridgeList::listed);
  EXPECT_EQ(trust_of("00:00.0 Host bridge [0600]: Red Hat, Inc. QEMU PCIe Host bridge [1b36:0008]"),
            HostBridgeList::unlisted);
}

TEST(HostTrust, FollowsTheKernelsListByName) {
  EXPECT_EQ(trust_of("00:00.0 Host bridge: Intel Corporation Xeon E5/Core i7 DMI2 (rev 07)"),
            HostBridgeList::same_bridge_only);
  EXPECT_EQ(trust_of("00:00.0 Host bridge: Intel Corporation Xeon E7 v4/Xeon E5 v4/Xeon E3 v4/Xeon D DMI2 (rev 01)"),
            HostBridgeList::unlisted);
  EXPECT_EQ(trust_of("00:00.0 Host bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse Root Complex"),
            HostBridgeList::listed);
}

TEST(HostTrust, LooksAtTheFirstFunctionOfTheRootBus) {
  const std::string intel = " [0604]: Intel Corporation Sky Lake-E PCI Express Root Port A [8086:2030]\n";
  const auto port = "\tCapabilities: [90] Express (v2) Root Port (Slot+), MSI 00\n";
  const auto functions = functions_of("17:02.0 PCI bridge" + intel + port + "3a:05.0 System peripheral" + intel);
  ASSERT_NE(host_bridge_device(functions, 0, 0x17), nullptr);
  EXPECT_EQ(host_trust(host_bridge_device(functions, 0, 0x17)), HostBridgeList::listed);
  // Neither at 00.0 nor a root port.
  EXPECT_EQ(host_bridge_device(functions, 0, 0x3a), nullptr);
  EXPECT_EQ(host_trust(nullptr), HostBridgeList::unlisted);
}

}  // namespace
}  // namespace peerpath::import
