#include "validation/pcie_bench/validate.hpp"

#include <gtest/gtest.h>

#include "validation/pcie_bench/fit.hpp"
#include "validation/pcie_bench/preset.hpp"

namespace peerpath::pcie_bench {
namespace {

const std::filesystem::path data{PEERPATH_DATA};

class PublishedHost : public testing::TestWithParam<const char*> {};

TEST_P(PublishedHost, IsPredictedWithinTolerance) {
  auto host = load_host(data / "pcie-bench" / GetParam());
  ASSERT_TRUE(host);
  const auto card = load_card(data / "presets" / "nfp6000.json");
  ASSERT_TRUE(card);
  const auto report = report_host(std::move(*host), *card);
  EXPECT_EQ(report.predictions.size(), 164u);
  for (const auto& c : report.criteria) EXPECT_TRUE(c.passed()) << c.name << ": " << c.value << ", allowed " << c.allowed;
}

INSTANTIATE_TEST_SUITE_P(All, PublishedHost,
                         testing::Values("nfp6000-1.2GHz_bdw-Xeon-E5-2630v4-dell-t430-s0-s0-s0",
                                         "nfp6000-1.2GHz_bdw-Xeon-E5-2630v4-dell-t430-s0-s0-s0-iommu-nosp",
                                         "nfp6000-1.2GHz_bdw-Xeon-E5-2630v4-dell-t430-s0-s1-s1",
                                         "nfp6000-1.2GHz_hsw-Xeon-E5-2620v3_dell-t630",
                                         "nfp6000-1.2GHz_hsw-Xeon-E5-2620v3_dell-t630-iommu",
                                         "nfp6000-1.2GHz_snb-Xeon-E5-2630_dell-t620"),
                         [](const auto& info) { return "host" + std::to_string(info.index); });

TEST(Validate, FitsLookAtNoMoreThanTwoSizesOfACurve) {
  for (const auto& entry : enum_names(pcie_bench::Test{})) {
    int sizes = 0;
    for (const auto& which : wanted_fit_cases()) sizes += which.test == entry.value;
    EXPECT_LE(sizes, 2) << entry.name;
  }
}

TEST(Validate, AWrongCardFails) {
  auto host = load_host(data / "pcie-bench" / "nfp6000-1.2GHz_snb-Xeon-E5-2630_dell-t620");
  ASSERT_TRUE(host);
  auto card = *load_card(data / "presets" / "nfp6000.json");
  card.write_chunk *= 1.2;
  const auto report = report_host(std::move(*host), card);
  EXPECT_FALSE(report.criteria.front().passed() && report.criteria[1].passed());
}

TEST(Validate, WrongInputIsSaid) {
  const auto outcome = validate({.data = "/nonexistent", .host = {}, .card = data / "presets" / "nfp6000.json"}, [](auto) {});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_FALSE(outcome.problems.empty());
}

}  // namespace
}  // namespace peerpath::pcie_bench
