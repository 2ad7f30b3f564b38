#include <gmock/gmock.h>

#include "study/sweep_axis.hpp"

namespace peerpath::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string wrong(std::string_view text) {
  const auto values = sweep_values(text);
  return values ? "none" : values.error();
}

TEST(SweepValues, AreListsAndRanges) {
  EXPECT_THAT(*sweep_values("1,auto,4KiB"), ElementsAre("1", "auto", "4KiB"));
  EXPECT_THAT(*sweep_values("-1..1,8"), ElementsAre("-1", "0", "1", "8"));
  EXPECT_THAT(*sweep_values("0..0.3:0.1"), ElementsAre("0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(*sweep_values("10Gbps..25Gbps:10Gbps"), ElementsAre("10Gbps", "20Gbps"));
  EXPECT_THAT(*sweep_values("64B..300B*2"), ElementsAre("64B", "128B", "256B"));
  EXPECT_THAT(*sweep_values("0.1us..0.25us*1.5"), ElementsAre("0.1us", "0.15us", "0.225us"));
  EXPECT_THAT(*sweep_values("0..0"), ElementsAre("0"));
}

TEST(SweepValues, MayBeJson) {
  EXPECT_THAT(*sweep_values(R"(["RR","CR"],[],"a,b")"), ElementsAre(R"(["RR","CR"])", "[]", R"("a,b")"));
}

TEST(SweepValues, SayWhatIsWrong) {
  EXPECT_THAT(wrong("1,,2"), HasSubstr("empty value"));
  EXPECT_THAT(wrong(""), HasSubstr("empty value"));
  EXPECT_THAT(wrong("4..1"), HasSubstr("goes down"));
  EXPECT_THAT(wrong("1B..1KiB"), HasSubstr("different units"));
  for (const auto* step : {"1..4:0", "1..4*1", "1..4*0.5", "0..4*2", "1..4:", "1B..4B:1s", "1..4:-1"})
    EXPECT_THAT(wrong(step), HasSubstr("has an invalid step")) << step;
  EXPECT_THAT(wrong("a..b"), HasSubstr("bounds that are not numbers"));
  EXPECT_THAT(wrong("1..2000000"), HasSubstr("1000000"));
}

}  // namespace
}  // namespace peerpath::study
