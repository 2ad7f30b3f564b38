#include "tools/report/curves_page.hpp"

#include <gmock/gmock.h>

#include "tools/report/page.hpp"

namespace peerpath::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* assessment = R"({"dataset":"d.jsonl","gpu":"G <1>","started":"2026","measured_points":3,
  "fitted_points":1,"passed":true,"held_out":{"points":2,"median_error":0.01,"p95_error":0.02},
  "parameters":[{"name":"a","value":1.5,"unit":"ns","low":1,"high":2,"identifiable":true,"why_not":"","meaning":"m"},
                {"name":"b","value":7,"unit":"","low":1,"high":2,"identifiable":false,"why_not":"unseen","meaning":"m"}],
  "curves":[{"name":"copy","axis":"bytes","law":"setup + bytes","points":[
    {"at":64,"measured_ns":100,"predicted_ns":101,"error":0.01,"p10_ns":99,"p90_ns":102,"fitted":false,"within_spread":true}]}]})";

TEST(CurvesPage, HasEachCurveWithItsTableAndChart) {
  const auto page = curves_page(assessment);
  for (const auto* part : {"G &lt;1&gt;", "1 of 3 points fitted", "median error 1.0 %", "not identifiable: unseen",
                           "setup + bytes", "101.0"})
    EXPECT_THAT(page, HasSubstr(part));
  if (has_charts()) {
    EXPECT_THAT(page, HasSubstr("id=\"curve-0\""));
  }
}

TEST(CurvesPage, OfNothingIsAPageWithoutCurves) {
  for (const auto* text : {"", "[]", "{}"}) {
    const auto page = curves_page(text);
    EXPECT_THAT(page, HasSubstr("</html>"));
    EXPECT_THAT(page, Not(HasSubstr("curve-0")));
  }
}

}  // namespace
}  // namespace peerpath::report
