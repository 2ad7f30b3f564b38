// A scenario on SystemC's event queue: what the plain loop makes of it is what it has to give.
#include "peerpath/sc/run.hpp"

#include "observe/results_json.hpp"
#include "platform/test_run.hpp"

namespace peerpath::sc {
namespace {

using platform::below_one_switch, platform::traffic;
using namespace std::chrono_literals;

std::string text(tl::expected<observe::Results, Problems> results, const scenario::Scenario& s) {
  EXPECT_TRUE(results);
  EXPECT_TRUE(observe::finish(*results, s).empty());
  return observe::results_text(observe::results_document(*results, {}));
}

TEST(Run, GivesWhatThePlainLoopGives) {
  auto t = traffic(scenario::traffic::Receive{}, "nic", "gpu");
  t.path = scenario::DataPath::bounce;
  auto s = below_one_switch(t);
  s.events = {{.at = 50us, .what = scenario::event::LinkDown{}, .device = "gpu"},
              {.at = 60us, .what = scenario::event::LinkUp{}, .device = "gpu"}};
  const auto wanted = text(platform::run(s), s);
  EXPECT_EQ(text(run_model(s), s), wanted);
}

TEST(Run, EndsWhenItIsAskedToThoughNextToNoTimePassesBetweenItsEvents) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu"));
  s.run.watchdog = Duration{1};  // 10^11 looks; scenario::check refuses it
  const auto results = run_model(s, {.stop = [] { return true; }});
  ASSERT_TRUE(results);
  EXPECT_FALSE(results->complete);
}

}  // namespace
}  // namespace peerpath::sc
