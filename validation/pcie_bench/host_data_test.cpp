#include "validation/pcie_bench/host_data.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie_bench {
namespace {

constexpr std::string_view bandwidth_header =
    "Test,PAT,Cache,HO,DO,WinSZ,SZ,Time(cyc),Time,Bytes,Trans,BW (GB/s),Trans/s\n";

std::string row_problem(const std::string& row) {
  std::vector<Point> points;
  Problems problems;
  read_points(std::string{bandwidth_header} + row, "bw.csv", false, points, problems);
  return problems.empty() ? "" : to_string(problems.front());
}

TEST(HostData, BandwidthIsPayloadPerTime) {
  std::vector<Point> points;
  Problems problems;
  read_points(std::string{bandwidth_header} + "BW_DMA_RD,Rand,HWarm,0,0,8192.0,64.0,1,100,800,1,1,1\n", "bw.csv", false,
              points, problems);
  ASSERT_TRUE(problems.empty());
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].which.size, Bytes{64});
  EXPECT_DOUBLE_EQ(points[0].measured, 64.0);
}

TEST(HostData, SaysWhichRowIsWrong) {
  EXPECT_NE(row_problem("BW_DMA_RD,Rand,HWarm,0,0,8192,64,1,nan,800,1,1,1\n").find("bw.csv:2"), std::string::npos);
  EXPECT_NE(row_problem("BW_DMA_XX,Rand,HWarm,0,0,8192,64,1,100,800,1,1,1\n").find("not a test"), std::string::npos);
  EXPECT_NE(row_problem("LAT_DMA_RD,Rand,HWarm,0,0,8192,64,1,100,800,1,1,1\n").find("not a test"), std::string::npos);
  EXPECT_NE(row_problem("BW_DMA_RD,Rand,HWarm,0,0,8192,64.5,1,100,800,1,1,1\n").find("whole number"),
            std::string::npos);
  EXPECT_NE(row_problem("BW_DMA_RD,Rand,HWarm,0,0,8192,64,1,100\n").find("cells"), std::string::npos);
}

TEST(HostData, AMissingDirectoryIsAProblem) {
  const auto host = load_host("/nonexistent/host");
  ASSERT_FALSE(host);
  EXPECT_GE(host.error().size(), 5u);
}

constexpr std::string_view dump =
    "00:03.0 PCI bridge: Intel Corporation Root Port 3\n"
    "\tBus: primary=00, secondary=03, subordinate=03, sec-latency=0\n"
    "\t\tAERCap:\tFirst Error Pointer: 00, GenCap+ CGenEn+ ChkCap+ ChkEn+\n"
    "03:00.0 Ethernet controller: Netronome Systems, Inc. Device 6000\n"
    "\t\tDevCtl:\tReport errors: Correctable-\n"
    "\t\t\tRlxdOrd+ ExtTag- PhantFunc-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"
    "\t\tDevSta:\tCorrErr+\n"
    "\t\tLnkSta:\tSpeed 8GT/s, Width x8, TrErr-\n";

TEST(HostData, TheSetupIsRead) {
  const auto setup = read_setup(dump, "d", "ro quiet intel_iommu=on,sp_off");
  ASSERT_TRUE(setup);
  EXPECT_EQ(setup->max_read_request, Bytes{512});
  EXPECT_EQ(setup->tags, 32);
  EXPECT_TRUE(setup->host_ecrc);
  EXPECT_FALSE(setup->card_ecrc);
  EXPECT_TRUE(setup->iommu);
}

constexpr std::string_view latencies =
    "Test,Cache,WinSZ,SZ,Avg(ns)\n"
    "LAT_DMA_RD,Cold,65536,64,610\nLAT_DMA_RD,HWarm,65536,64,557\nLAT_DMA_RD,DWarm,4194304,64,610\n";

TEST(HostData, WhetherTheCardHasWarmedAWindowIsRead) {
  const std::string rows{latencies};
  EXPECT_FALSE(read_card_warms(rows + "LAT_DMA_RD,DThrash,65536,64,540\n", "l")) << "no such row within 256 KiB";
  EXPECT_EQ(read_card_warms(rows + "LAT_DMA_RD,DWarm,65536,64,540\n", "l"), true);
  EXPECT_EQ(read_card_warms(rows + "LAT_DMA_RD,DWarm,65536,64,609\n", "l"), false);
}

TEST(HostData, ADumpWithoutTheCardIsAProblem) {
  EXPECT_FALSE(read_setup(dump.substr(0, dump.find("03:00.0 ")), "d", ""));
}

}  // namespace
}  // namespace peerpath::pcie_bench
