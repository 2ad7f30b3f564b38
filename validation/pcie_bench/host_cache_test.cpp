#include "validation/pcie_bench/host_cache.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie_bench {
namespace {

TEST(HostCache, IsReadFromEachFormThatLinuxPrints) {
  const auto old = read_cache("Model name: Intel\nL2 cache:              256K\nL3 cache:              25600K\n");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->size, Bytes{25 << 20});
  EXPECT_FALSE(old->ways);
  const auto sockets = read_cache("  L2:                     20 MiB (16 instances)\n  L3:   71.5 MiB (2 instances)\n");
  ASSERT_TRUE(sockets);
  EXPECT_EQ(sockets->size, Bytes{(143 << 20) / 4}) << "of one socket";
  const auto table = read_cache(
      "NAME ONE-SIZE ALL-SIZE WAYS TYPE        LEVEL  SETS\n"
      "L2         1M      16M   16 Unified         2  1024\nL3      22M      44M   11 Unified         3 32768\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size, Bytes{22 << 20});
  EXPECT_EQ(table->ways, 11);
  const auto cpuinfo = read_cache("model name\t: Intel(R)\ncache size\t: 15360 KB\n");
  ASSERT_TRUE(cpuinfo);
  EXPECT_EQ(cpuinfo->size, Bytes{15 << 20});
}

TEST(HostCache, IsNotGuessed) {
  EXPECT_FALSE(read_cache(""));
  EXPECT_FALSE(read_cache("L2 cache: 256K\nL1d cache: 32K\n"));
}

}  // namespace
}  // namespace peerpath::pcie_bench
