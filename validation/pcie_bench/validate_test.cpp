#include "validation/pcie_bench/validate.hpp"

#include <algorithm>
#include <cmath>
#include <span>

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
  for (const auto& c : report.criteria)
    EXPECT_TRUE(c.passed()) << c.name << ": " << c.value << ", allowed " << c.allowed;
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

/// What the card's fit looks at.
std::vector<Case> looked_at(const HostData& host) {
  auto cases = fit_cases(host);
  cases.insert(cases.end(), command_fit_cases().begin(), command_fit_cases().end());
  return cases;
}

HostData poisoned(HostData host) {
  const auto kept = looked_at(host);
  for (auto& point : host.points)
    if (std::ranges::find(kept, point.which) == kept.end())
      point.measured *= 1.0 + 0.5 * static_cast<double>(point.which.size.count() % 7);
  return host;
}

TEST(Validate, TheCardsFitLooksAtItsPointsAlone) {
  const auto host = load_host(data / "pcie-bench" / "nfp6000-1.2GHz_snb-Xeon-E5-2630_dell-t620");
  ASSERT_TRUE(host);
  auto stripped = *host;
  const auto kept = looked_at(*host);
  std::erase_if(stripped.points, [&](const Point& p) { return std::ranges::find(kept, p.which) == kept.end(); });
  ASSERT_EQ(stripped.points.size(), 14u);
  const std::vector<std::vector<HostData>> sets{{poisoned(*host)}, {stripped}};
  constexpr FitEffort short_fit{.rounds = 1, .evaluations = 40};  // what it looks at does not depend on how long
  const auto silent = [](int, double) {};
  const auto card = fit_card(std::vector{*host}, silent, short_fit);
  for (const auto& set : sets) {
    const auto again = fit_card(set, silent, short_fit);
    for (const auto& constant : card_constants)
      EXPECT_EQ(again.*constant.member, card.*constant.member) << constant.name;
    EXPECT_EQ(fit_host(set[0], card).read_latency, fit_host(*host, card).read_latency);
  }
}

TEST(Validate, TheKeptConstantsAreTheBestNearby) {
  std::vector<HostData> hosts;
  for (const auto& folder : find_hosts(data / "pcie-bench")) hosts.push_back(*load_host(folder));
  ASSERT_EQ(hosts.size(), 6u);
  const auto kept = *load_card(data / "presets" / "nfp6000.json");
  std::vector<HostConstants> constants;
  for (const auto& host : hosts) constants.push_back(fit_host(host, kept));
  const auto sum = [&](const CardConstants& card) {
    double squares = 0;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto r = residual(hosts[i], card, constants[i]);
      squares += r * r;
    }
    return squares;
  };
  const auto least = sum(kept);
  // LAT_CMD_* alone tell the command interface's path: its largest error is least.
  const auto largest_error = [&](const CardConstants& card) {
    double largest = 0;
    for (std::size_t i = 0; i < hosts.size(); ++i)
      for (const auto& which : command_fit_cases())
        if (!hosts[i].setup.remote_memory)
          largest = std::max(largest, std::abs(play(which, hosts[i].setup, card, constants[i]) /
                                                   hosts[i].find(which.test, which.size.count())->measured -
                                               1));
    return largest;
  };
  const auto least_error = largest_error(kept);
  EXPECT_LT(least_error, 0.08);
  for (const auto& constant : card_constants)
    for (const double change : {-0.1, 0.1}) {
      auto tried = kept;
      tried.*constant.member *= 1 + change;
      if (constant.name == "command_path") {
        EXPECT_GT(largest_error(tried), least_error) << " x " << 1 + change;
      } else {
        EXPECT_GT(sum(tried), least) << constant.name << " x " << 1 + change;
      }
    }
}

TEST(Validate, AMissingFitSizeIsReplacedByTheNearest) {
  auto host = *load_host(data / "pcie-bench" / "nfp6000-1.2GHz_snb-Xeon-E5-2630_dell-t620");
  std::erase_if(host.points, [](const Point& p) { return p.which.size == Bytes{768}; });
  const auto cases = fit_cases(host);
  ASSERT_EQ(cases.size(), 10u);
  EXPECT_EQ(cases[1], (Case{pcie_bench::Test::bw_read, Bytes{769}}));
  EXPECT_EQ(cases[3], (Case{pcie_bench::Test::bw_write, Bytes{769}}));
}

TEST(Validate, AWrongCardFails) {
  auto host = load_host(data / "pcie-bench" / "nfp6000-1.2GHz_snb-Xeon-E5-2630_dell-t620");
  ASSERT_TRUE(host);
  auto card = *load_card(data / "presets" / "nfp6000.json");
  card.chunk *= 1.2;
  const auto report = report_host(std::move(*host), card);
  EXPECT_FALSE(report.criteria.front().passed() && report.criteria[1].passed());
}

TEST(Validate, WrongInputIsSaid) {
  const auto outcome =
      validate({.data = "/nonexistent", .host = {}, .card = data / "presets" / "nfp6000.json"}, [](auto) {});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_FALSE(outcome.problems.empty());
}

}  // namespace
}  // namespace peerpath::pcie_bench
