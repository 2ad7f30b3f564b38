#include "validation/pcie_bench/criteria.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie_bench {
namespace {

Prediction at(Test test, std::int64_t size, double measured, double predicted) {
  return {{{test, Bytes{size}}, measured}, predicted, false};
}

const Criterion& named(const std::vector<Criterion>& all, std::string_view start) {
  for (const auto& c : all)
    if (c.name.starts_with(start)) return c;
  ADD_FAILURE() << start;
  return all.front();
}

TEST(Criteria, TheLargestWriteErrorCounts) {
  const auto all = judge({}, {at(pcie_bench::Test::bw_write, 512, 50, 51), at(pcie_bench::Test::bw_write, 1024, 50, 48),
                              at(pcie_bench::Test::bw_write, 64, 50, 53)});
  EXPECT_NEAR(named(all, "writes of 512 B and more").value, 4.0, 1e-9);
  EXPECT_FALSE(named(all, "writes of 512 B and more").passed());
  EXPECT_TRUE(named(all, "writes below 512 B").passed());
}

TEST(Criteria, NoPointsIsNoPass) {
  for (const auto& c : judge({}, {})) EXPECT_FALSE(c.passed()) << c.name;
}

TEST(Criteria, AStepTheWrongWayIsCounted) {
  const auto down = at(pcie_bench::Test::bw_read, 65, 22, 23);
  const auto right = judge({}, {at(pcie_bench::Test::bw_read, 64, 32, 32), down});
  EXPECT_EQ(named(right, "reads of 65, 129, 257 B, steps").value, 0);
  const auto wrong = judge({}, {at(pcie_bench::Test::bw_read, 64, 32, 22.5), down});
  EXPECT_EQ(named(wrong, "reads of 65, 129, 257 B, steps").value, 1);
}

TEST(Criteria, ReadsAreHeldByMaxReadRequest) {
  pcie_bench::Setup whole, cut;
  whole.max_read_request = Bytes{4096};
  cut.max_read_request = Bytes{512};
  const std::vector<Prediction> reads{at(pcie_bench::Test::bw_read, 1024, 50, 56),
                                      at(pcie_bench::Test::bw_read, 2048, 50, 50),
                                      at(pcie_bench::Test::bw_read, 512, 50, 50)};
  EXPECT_FALSE(named(judge(whole, reads), "reads of 512 B and more").passed());
  EXPECT_TRUE(named(judge(cut, reads), "reads, median").passed());
  EXPECT_TRUE(named(judge(cut, reads), "reads, largest").passed());
}

}  // namespace
}  // namespace peerpath::pcie_bench
