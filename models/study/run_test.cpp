#include "study/run.hpp"

#include <gtest/gtest.h>

#include "scenario/test_files.hpp"
#include "study/varied.hpp"

namespace peerpath::study {
namespace {

struct Case {
  const char* file;  ///< below scenarios/
  const char* kind;
  const char* expected;  ///< override that makes the first expectation fail
  const char* metric;
};
constexpr std::array cases{Case{"netgpu/zero_copy.json", "PCIe", "expect.0.equals=1", "rx.goodput_gbps"},
                           Case{"roce/two_nodes_write.json", "network", "expect.0.equals=1", "write.goodput_gbps"}};

scenario::LoadOptions shipped(std::vector<std::string> overrides = {}) {
  scenario::LoadOptions options;
  overrides.emplace_back("run.measure=20us");
  options.overrides = std::move(overrides);
  return options;
}

class EachKind : public testing::TestWithParam<Case> {
 protected:
  std::filesystem::path file() const { return scenario::shipped_scenarios() / GetParam().file; }
};

TEST_P(EachKind, IsLoadedAndRunTheSameWay) {
  const auto subject = study::load(file(), shipped());
  ASSERT_TRUE(subject) << scenario::lines_of(subject ? Problems{} : subject.error());
  EXPECT_EQ((*subject)->kind(), GetParam().kind);
  EXPECT_EQ((*subject)->metrics().empty(), false);
  const auto outcome = run(**subject, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ((*outcome)->document("v")["name"], (*subject)->name());
  EXPECT_NE((*outcome)->table(Plain{}).find(GetParam().metric), std::string::npos);
}

TEST_P(EachKind, ABrokenExpectationIsGivenWithItsPlace) {
  const auto subject = study::load(file(), shipped({GetParam().expected}));
  ASSERT_TRUE(subject);
  const auto summary = run_summary(**subject);
  EXPECT_EQ(summary.kind, Ending::failed);
  ASSERT_EQ(summary.problems.size(), 1u);
  EXPECT_NE(summary.problems.front().file.find(GetParam().file), std::string::npos);
  EXPECT_GT(summary.problems.front().line, 0);
}

TEST_P(EachKind, IsVariedToWhatItWouldBeIfItWereLoadedSo) {
  const auto varied = Varied::read(file(), shipped());
  ASSERT_TRUE(varied);
  const auto point = varied->with({"run.seed=7"});
  const auto loaded = study::load(file(), shipped({"run.seed=7"}));
  ASSERT_TRUE(point && loaded);
  EXPECT_EQ((*point)->kind(), GetParam().kind);
  EXPECT_EQ((*point)->written(), (*loaded)->written());
  EXPECT_NE((*point)->written(), varied->subject().written());
}

TEST_P(EachKind, MistakesAreThoseOfItsOwnKind) {
  const auto subject = study::load(file(), shipped({"run.measuer=1us"}));
  ASSERT_FALSE(subject);
  EXPECT_NE(scenario::lines_of(subject.error()).find("measure"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Study, EachKind, testing::ValuesIn(cases));

}  // namespace
}  // namespace peerpath::study
