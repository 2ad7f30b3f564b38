#include "validation/import/lspci.hpp"

#include <gtest/gtest.h>

#include "core/pcie/acs.hpp"

namespace peerpath::import {
namespace {

constexpr std::string_view dump =
    "00:03.0 PCI bridge: Intel Corporation Root Port 3 (rev 01) (prog-if 00 [Normal decode])\n"
    "\tBus: primary=00, secondary=03, subordinate=04, sec-latency=0\n"
    "\tCapabilities: [90] Express (v2) Root Port (Slot-), MSI 00\n"
    "\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0\n"
    "\t\tDevCtl:\tReport errors: Correctable- Non-Fatal- Fatal- Unsupported-\n"
    "\t\t\tRlxdOrd- ExtTag- PhantFunc- AuxPwr- NoSnoop-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 128 bytes\n"
    "\t\tDevSta:\tCorrErr-\n"
    "\n"
    "03:00.0 Ethernet controller: Netronome Systems, Inc. Device 6000\n"
    "\tCapabilities: [c0] Express (v2) Endpoint, MSI 00\n"
    "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0, Latency L0s <1us, L1 <1us\n"
    "\t\t\tExtTag- AttnBtn- AttnInd- PwrInd- RBE+ FLReset+\n"
    "\t\tDevCtl:\tReport errors: Correctable- Non-Fatal+ Fatal+ Unsupported+\n"
    "\t\t\tRlxdOrd+ ExtTag- PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
    "\t\tDevSta:\tCorrErr+ UncorrErr-\n"
    "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x8, ASPM L0s L1\n"
    "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes Disabled- CommClk+\n"
    "\t\tLnkSta:\tSpeed 8GT/s, Width x8, TrErr- Train-\n"
    "\tCapabilities: [100 v2] Advanced Error Reporting\n"
    "\t\tAERCap:\tFirst Error Pointer: 00, GenCap+ CGenEn+ ChkCap+ ChkEn+\n";

TEST(Lspci, ReadsWhatAFunctionSays) {
  const auto functions = parse_lspci(dump, "d.txt");
  ASSERT_TRUE(functions);
  ASSERT_EQ(functions->size(), 2u);
  const auto& card = functions->back();
  EXPECT_EQ(card.address(), "0000:03:00.0");
  EXPECT_EQ(card.kind, "Ethernet controller");
  EXPECT_EQ(card.port, "Endpoint");
  EXPECT_EQ(card.link, (pcie::LinkShape{3, 8}));
  EXPECT_EQ(card.max_payload_supported, Bytes{512});
  EXPECT_EQ(card.max_payload, Bytes{256});
  EXPECT_EQ(card.max_read_request, Bytes{4096});
  EXPECT_EQ(card.rcb, Bytes{64});
  EXPECT_EQ(card.extended_tag, false);
  EXPECT_EQ(card.relaxed_ordering, true);
  EXPECT_EQ(card.no_snoop, true);
  EXPECT_EQ(card.ecrc_generation, true);
}

TEST(Lspci, FindsTheBridgeAbove) {
  const auto functions = parse_lspci(dump, "d.txt");
  ASSERT_TRUE(functions);
  EXPECT_EQ(parent(*functions, functions->back()), &functions->front());
  EXPECT_EQ(parent(*functions, functions->front()), nullptr);
  EXPECT_EQ(functions->front().subordinate, 4);
}

std::string first_problem(std::string_view text) {
  const auto functions = parse_lspci(text, "d.txt");
  return functions ? "" : to_string(functions.error().front());
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text{dump};
  return text.replace(text.find(from), from.size(), to);
}

TEST(Lspci, SaysWhereADumpIsBroken) {
  EXPECT_NE(first_problem("").find("no PCI function"), std::string::npos);
  EXPECT_NE(first_problem("\tBus: primary=00\n").find("d.txt:1"), std::string::npos);
  EXPECT_NE(first_problem("{ \"json\": 1 }\n").find("not the address"), std::string::npos);
  EXPECT_NE(first_problem(replaced("03:00.0", "03:zz.0")).find("d.txt:10"), std::string::npos);
  EXPECT_NE(first_problem(replaced("03:00.0", "00:03.0")).find("twice"), std::string::npos);
  EXPECT_NE(first_problem(replaced("MaxReadReq 4096", "MaxReadReq nan")).find("d.txt:16"), std::string::npos);
  EXPECT_NE(first_problem(replaced("MaxReadReq 4096", "MaxReadReq 300")).find("power of two"), std::string::npos);
  EXPECT_NE(first_problem(replaced("MaxReadReq 4096", "MaxReadReq 64")).find("from 128 to 4096"), std::string::npos);
  EXPECT_NE(first_problem(replaced("LnkSta:\tSpeed 8GT/s", "LnkSta:\tSpeed 9GT/s")).find("d.txt:20"),
            std::string::npos);
}

TEST(Lspci, RefusesLinksThatPcieDoesNotHave) {
  EXPECT_NE(
      first_problem(replaced("LnkSta:\tSpeed 8GT/s, Width x8", "LnkSta:\tSpeed 8GT/s, Width x5")).find("d.txt:20"),
      std::string::npos);
}

TEST(Lspci, ReadsAcsWindowsAndWhereAFunctionIs) {
  const auto functions = parse_lspci(
      "0000:03:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)\n"
      "\tNUMA node: 1\n\tIOMMU group: 18\n"
      "\tRegion 0: Memory at a0000000 (64-bit, non-prefetchable) [size=512G]\n"
      "\tRegion 2: Memory at 24000000000 (64-bit, prefetchable) [size=128G]\n"
      "\tRegion 4: Memory at 26000000000 (64-bit, prefetchable) [size=32M]\n"
      "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
      "\t\tDevCap2: Completion Timeout: Range AB, 10BitTagComp+ 10BitTagReq-\n"
      "\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis-\n"
      "\t\t\t 10BitTagReq+ OBFF Disabled\n"
      "\tCapabilities: [220 v1] Access Control Services\n"
      "\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl+ DirectTrans+\n"
      "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans+\n"
      "\tCapabilities: [250 v1] Single Root I/O Virtualization (SR-IOV)\n"
      "\t\tRegion 2: Memory at 0000000000000000 (64-bit, prefetchable) [size=1T]\n",
      "d.txt");
  ASSERT_TRUE(functions);
  const auto& gpu = functions->front();
  EXPECT_EQ(gpu.acs_control, pcie::acs::source_validation | pcie::acs::request_redirect | pcie::acs::direct_translated);
  EXPECT_EQ(gpu.window, Bytes{std::int64_t{128} << 30});
  EXPECT_EQ(gpu.ten_bit_tag, true);
  EXPECT_EQ(gpu.numa_node, 1);
  EXPECT_EQ(gpu.iommu_group, 18);
  EXPECT_EQ(gpu.vendor, 0x10de);
  EXPECT_EQ(gpu.device_id, 0x2330);
  EXPECT_FALSE(parse_lspci(dump, "d.txt")->front().acs_control);
}

TEST(Lspci, PassesOverTheBytesOfTheConfigurationSpace) {
  const auto functions = parse_lspci(
      "0000:01:00.0 Ethernet controller: A\n\tNUMA node: 1\n00: b3 15 1d 10 06 04 10 00 00 00 00 02 00 00 80 00\n"
      "f0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n100: 01 00 01 15\n\n"
      "0000:01:00.1 Ethernet controller: B\n00: b3 15 1d 10 06 04 10 00 00 00 00 02 00 00 80 00\n",
      "d.txt");
  ASSERT_TRUE(functions);
  ASSERT_EQ(functions->size(), 2U);
  EXPECT_EQ(functions->front().numa_node, 1);
}

TEST(Lspci, ABarWithoutAnAddressIsNoWindow) {
  const auto gpu_with = [](const std::string& regions) {
    return parse_lspci("03:00.0 3D controller: G\n" + regions, "d.txt")->front();
  };
  const std::string live = "\tRegion 3: Memory at 24000000000 (64-bit, prefetchable) [size=32M]\n";
  const auto unassigned = gpu_with("\tRegion 1: Memory at <unassigned> (64-bit, prefetchable)\n" + live);
  ASSERT_TRUE(unassigned.dead_region);
  EXPECT_EQ(unassigned.dead_region->number, 1);
  EXPECT_EQ(unassigned.dead_region->line, 2);
  EXPECT_EQ(unassigned.dead_region->why, "unassigned");
  EXPECT_EQ(unassigned.window, Bytes{32 << 20});
  const auto disabled = gpu_with("\tRegion 1: Memory at 20000000000 (64-bit, prefetchable) [disabled] [size=16G]\n");
  EXPECT_EQ(disabled.dead_region->why, "disabled");
  EXPECT_FALSE(disabled.window);
  EXPECT_FALSE(gpu_with(live + "\tRegion 5: Memory at <ignored> (64-bit, prefetchable) [size=1M]\n").dead_region)
      << "smaller than the window";
}

TEST(Lspci, RefusesBridgesThatLeadBack) {
  EXPECT_NE(first_problem("01:00.0 PCI bridge: A\n\tBus: primary=01, secondary=01, subordinate=01\n").find("d.txt:2"),
            std::string::npos);
  // Not set up.
  EXPECT_EQ(first_problem("01:00.0 PCI bridge: A\n\tBus: primary=00, secondary=00, subordinate=00\n"), "");
}

TEST(Lspci, PassesOverWhatItsLibrarySays) {
  const auto functions = parse_lspci(
      "lspci: Unable to load libkmod resources: error -2\n" + replaced("\tCapabilities: [c0]",
                                                                       "pcilib: sysfs_read_vpd: read failed\n"
                                                                       "\tCapabilities: [c0]"),
      "d.txt");
  ASSERT_TRUE(functions);
  EXPECT_EQ(functions->size(), 2U);
  EXPECT_EQ(functions->back().max_read_request, Bytes{4096});
}

TEST(Lspci, NoticesATruncatedDump) {
  const auto text = dump.substr(0, dump.find("NoSnoop+"));
  EXPECT_NE(first_problem(text).find("truncated"), std::string::npos);
}

TEST(Lspci, SurvivesEveryTruncation) {
  for (std::size_t size = 0; size < dump.size(); ++size) {
    const auto functions = parse_lspci(dump.substr(0, size), "d.txt");
    EXPECT_TRUE(functions.has_value() ? !functions->empty() : !functions.error().empty()) << size;
  }
}

}  // namespace
}  // namespace peerpath::import
