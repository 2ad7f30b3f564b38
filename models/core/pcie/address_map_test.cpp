#include "core/pcie/address_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "peerpath/base/random.hpp"

namespace peerpath::pcie {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A root port, a switch with two downstream ports, a NIC and a GPU below them.
std::vector<Function> nic_and_gpu() {
  return {{.name = "rp0", .kind = FunctionKind::root_port, .parent = -1},
          {.name = "up", .kind = FunctionKind::upstream_port, .parent = 0},
          {.name = "down0", .kind = FunctionKind::downstream_port, .parent = 1},
          {.name = "down1", .kind = FunctionKind::downstream_port, .parent = 1},
          {.name = "nic",
           .parent = 2,
           .bars = {{.index = 0, .size = 64_KiB}, {.index = 2, .size = 32_MiB, .prefetchable = true}}},
          {.name = "gpu",
           .parent = 3,
           .bars = {{.index = 0, .size = 16_MiB}, {.index = 2, .size = 128_GiB, .prefetchable = true}}}};
}

TEST(AddressMap, NumbersBusesDepthFirst) {
  const AddressMap map{nic_and_gpu(), {}};
  std::vector<std::string> ids;
  for (const auto& f : map.functions()) ids.push_back(to_string(f.bdf));
  EXPECT_THAT(ids, ElementsAre("00:00.0", "01:00.0", "02:00.0", "02:01.0", "03:00.0", "04:00.0"));
  EXPECT_EQ(map.functions()[0].secondary_bus, 1);
  EXPECT_EQ(map.functions()[0].subordinate_bus, 4);
  EXPECT_EQ(map.functions()[2].subordinate_bus, 3);
  EXPECT_EQ(map.find(Bdf{4, 0, 0}), 5);
  EXPECT_EQ(map.find(Bdf{5, 0, 0}), std::nullopt);
  EXPECT_EQ((Bdf{3, 1, 2}.id()), 0x030a);
}

TEST(AddressMap, PrefetchableBarsGoAboveFourGibAndTheOthersBelow) {
  const AddressMap map{nic_and_gpu(), dram_regions("dram", 64_GiB)};
  ASSERT_THAT(map.problems(), IsEmpty());
  EXPECT_EQ(map.bar(5, 0), AddressMap::low_base);  // 16 MiB: the largest, first
  EXPECT_EQ(map.bar(4, 0).value(), 0xc100'0000U);
  EXPECT_EQ(map.bar(5, 2), AddressMap::high_base);  // 1 TiB is a multiple of 128 GiB
  EXPECT_EQ(map.bar(4, 2).value(), 0x120'0000'0000U);
}

TEST(AddressMap, HighBarsStartAfterTheLastOfTheMemory) {
  const AddressMap map{nic_and_gpu(), dram_regions("dram", Bytes{2} * (std::int64_t{1} << 40))};
  ASSERT_THAT(map.problems(), IsEmpty());
  EXPECT_EQ(map.bar(5, 2).value(), 0x220'0000'0000U);  // 2 TiB + 1 GiB hole, aligned to 128 GiB
}

TEST(AddressMap, DecodesToTheOwnerOrSaysWhyNot) {
  const AddressMap map{nic_and_gpu(), dram_regions("dram", 64_GiB)};
  const auto gpu = map.decode(map.bar(5, 2) + 4_KiB, 256_B);
  ASSERT_TRUE(gpu.hit);
  EXPECT_EQ(gpu.hit->function, 5);
  EXPECT_EQ(gpu.hit->bar, 2);
  EXPECT_EQ(gpu.hit->offset, 4_KiB);
  const auto dram = map.decode(BusAddress{0x1'0000'0000}, 64_B);
  ASSERT_TRUE(dram.hit);
  EXPECT_EQ(dram.hit->region, 1);

  EXPECT_THAT(map.decode(map.bar(5, 2) + (128_GiB - 64_B), 128_B).unsupported,
              HasSubstr("beyond the end of gpu BAR 2"));
  EXPECT_THAT(map.decode(map.bar(4, 0) + 64_KiB, 4_B).unsupported, HasSubstr("forwarded by down0"));
  EXPECT_THAT(map.decode(BusAddress{0xd000'0000}, 4_B).unsupported, HasSubstr("no BAR, bridge window or memory"));
}

TEST(AddressMap, NamesBothOwnersOfAnOverlap) {
  auto functions = nic_and_gpu();
  functions[4].bars[0].fixed = BusAddress{0x8000'0000};  // in DRAM below 4 GiB
  const AddressMap map{functions, dram_regions("dram", 64_GiB)};
  ASSERT_EQ(map.problems().size(), 1U);
  EXPECT_EQ(map.problems()[0], "addresses overlap: dram has 0x0..0xbfffffff, nic BAR 0 has 0x80000000..0x8000ffff");
}

TEST(AddressMap, RefusesSizesThatNoBarCanHaveAndTooMuchBelowFourGib) {
  auto functions = nic_and_gpu();
  functions[4].bars[0].size = 96_KiB;
  EXPECT_THAT(AddressMap(functions, {}).problems(), ElementsAre(HasSubstr("nic BAR 0: its size of 98304 B")));
  functions[4].bars[0].size = 2_GiB;
  EXPECT_THAT(AddressMap(functions, {}).problems(), testing::Contains(HasSubstr("not prefetchable need")));
}

TEST(AddressMap, EveryBarOfARandomTreeIsAlignedAloneAndInsideEachWindowAbove) {
  Random random{7, "trees"};
  for (int tree = 0; tree < 200; ++tree) {
    std::vector<Function> functions{{.name = "rp", .kind = FunctionKind::root_port, .parent = -1}};
    const auto count = 2 + random.below(20);
    for (std::uint64_t i = 1; i < count; ++i) {
      auto parent = static_cast<int>(random.below(i));
      while (functions[static_cast<std::size_t>(parent)].kind == FunctionKind::endpoint) --parent;
      const bool bridge = random.below(2) == 0;
      Function f{.name = "f" + std::to_string(i),
                 .kind = bridge ? FunctionKind::downstream_port : FunctionKind::endpoint,
                 .parent = parent};
      for (int b = 0; !bridge && b < 3; ++b)
        f.bars.push_back({.index = 2 * b,
                          .size = Bytes{std::int64_t{128} << random.below(15)},
                          .prefetchable = random.below(2) == 0});
      functions.push_back(f);
    }
    const AddressMap map{functions, dram_regions("dram", 16_GiB)};
    ASSERT_THAT(map.problems(), IsEmpty());  // so no two overlap
    for (const auto& f : map.functions())
      for (const auto& bar : f.bars) {
        EXPECT_EQ(bar.base.value() % static_cast<std::uint64_t>(bar.size.count()), 0U);
        for (int above = f.parent; above >= 0; above = map.functions()[static_cast<std::size_t>(above)].parent) {
          const auto& bridge = map.functions()[static_cast<std::size_t>(above)];
          const auto& window = bar.prefetchable ? bridge.prefetchable : bridge.memory;
          EXPECT_GE(bar.base, window.base);
          EXPECT_LE(bar.base + bar.size, window.base + window.size);
          EXPECT_EQ(window.base.value() % (1 << 20), 0U);
          EXPECT_GE(bridge.subordinate_bus, f.bdf.bus);
          EXPECT_LE(bridge.secondary_bus, f.bdf.bus);
        }
      }
  }
}

}  // namespace
}  // namespace peerpath::pcie
