#include "tools/report/stages.hpp"

#include <gmock/gmock.h>

namespace peerpath::report {
namespace {

using testing::HasSubstr;

TEST(Stages, ScrollInANarrowWindowAndKeepLettersThatCanBeRead) {
  const Json stage{{"name", "fabric"}, {"doc", "PCIe"}, {"count", 10},
                   {"sum_fs", 5e9},    {"p50_ns", 500}, {"p99_ns", 600}};
  const auto html = waterfall({{"traffic", {{{"name", "rx"}, {"stages", {stage}}}}}});
  EXPECT_TRUE(html.starts_with("<div class=\"scroll\" tabindex=\"0\">"));
  EXPECT_THAT(html, HasSubstr("viewBox=\"0 0 766 40\" style=\"min-width:651px\""));
  EXPECT_TRUE(html.ends_with("</svg></div>\n"));
}

}  // namespace
}  // namespace peerpath::report
