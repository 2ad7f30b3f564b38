#include <gmock/gmock.h>

#include "tools/peerpath/batch/test_verdict.hpp"

namespace peerpath::cli {
namespace {

using testing::HasSubstr;

TestVerdict verdict_of(study::Ending kind, std::string message = {}) {
  TestVerdict verdict{"a/b.json", {}, {}};
  verdict.outcome.kind = kind;
  if (!message.empty()) verdict.outcome.problems.push_back({"", 0, 0, "", std::move(message)});
  return verdict;
}

TEST(Junit, KindsAreToldApart) {
  const std::vector verdicts{verdict_of(study::Ending::passed), verdict_of(study::Ending::failed, "x < \"y\" & z"),
                             verdict_of(study::Ending::crashed, "signal\x1b[2J"),
                             verdict_of(study::Ending::wrong, "w")};
  const auto text = junit_xml(verdicts);
  EXPECT_THAT(text, HasSubstr(R"(tests="4" failures="1" errors="2" skipped="0")"));
  EXPECT_THAT(text, HasSubstr(R"(<failure type="expectation" message="x &lt; &quot;y&quot; &amp; z">)"));
  EXPECT_THAT(text, HasSubstr(R"(<error type="crash" message="signal\x1b[2J">)"));
  EXPECT_THAT(text, HasSubstr(R"(<error type="scenario")"));
}

TEST(Junit, CodePointsThatXmlForbidsAreReplaced) {
  const auto text = junit_xml(std::vector{verdict_of(study::Ending::wrong,
                                                     "a\xef\xbf\xbe"
                                                     "b\xef\xbf\xbf\xff\xf4\x8f\xbf\xbf")});
  EXPECT_THAT(text, HasSubstr("a\xef\xbf\xbd"
                              "b\xef\xbf\xbd\\xff\xf4\x8f\xbf\xbf"))
      << "U+10FFFF is a character of XML";
}

TEST(Junit, TheWorstDecides) {
  auto drifted = verdict_of(study::Ending::passed);
  drifted.drifts = {"d"};
  std::vector verdicts{verdict_of(study::Ending::passed), verdict_of(study::Ending::skipped, "s")};
  EXPECT_EQ(exit_of(verdicts), Exit::done);
  verdicts.push_back(drifted);
  EXPECT_EQ(exit_of(verdicts), Exit::drifted);
  verdicts.push_back(verdict_of(study::Ending::failed, "f"));
  EXPECT_EQ(exit_of(verdicts), Exit::expectation_failed);
  verdicts.push_back(verdict_of(study::Ending::wrong, "w"));
  EXPECT_EQ(exit_of(verdicts), Exit::wrong_input);
  verdicts.push_back(verdict_of(study::Ending::crashed, "c"));
  EXPECT_EQ(exit_of(verdicts), Exit::bug);
}

TEST(Junit, AnnotationsKeepTheirLine) {
  const auto text = github_annotations(verdict_of(study::Ending::failed, "50 %\nof it"));
  EXPECT_EQ(text, "::error file=a/b.json,title=peerpath FAIL::50 %25%0Aof it\n");
}

}  // namespace
}  // namespace peerpath::cli
