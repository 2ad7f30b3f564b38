#include "validation/emulator/events.hpp"

#include <gmock/gmock.h>

#include "validation/emulator/test_scenario.hpp"

namespace peerpath::emulator {
namespace {

using namespace std::chrono_literals;
namespace kind = scenario::event;
using testing::HasSubstr;

scenario::Event event(decltype(scenario::Event::what) what, const char* device, Duration at = 1ms) {
  return {.at = at, .what = std::move(what), .device = device};
}

TEST(Events, AcsOfAllPortsOfASwitchOrOfOne) {
  auto scenario = test_scenario();
  scenario.events = {
      event(kind::Acs{{pcie::AcsControl::request_redirect, pcie::AcsControl::completion_redirect}}, "sw0"),
      event(kind::Acs{}, "gpu0")};
  const auto events = make_events(scenario);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 2u);
  ASSERT_EQ((*events)[0].commands.size(), 2u);
  EXPECT_THAT((*events)[0].commands[0], HasSubstr("/machine/peripheral/sw0.nic0"));
  EXPECT_THAT((*events)[0].commands[1], HasSubstr("\"value\":12"));
  ASSERT_EQ((*events)[1].commands.size(), 1u);
  EXPECT_THAT((*events)[1].commands[0], HasSubstr("sw0.gpu0"));
  EXPECT_THAT((*events)[0].ledger, HasSubstr("/machine/peripheral/nic0"));
}

TEST(Events, AreInOrderOfTime) {
  auto scenario = test_scenario();
  scenario.events = {event(kind::PortUp{}, "nic0", 2ms), event(kind::PortDown{}, "nic0", 1ms)};
  const auto events = make_events(scenario);
  ASSERT_TRUE(events);
  EXPECT_THAT((*events)[0].commands[0], HasSubstr("\"up\":false"));
  EXPECT_THAT((*events)[1].commands[0], HasSubstr("\"up\":true"));
}

TEST(Events, SaysWhatItCannotDo) {
  auto scenario = test_scenario();
  scenario.events = {event(kind::DropFrame{}, "nic0"), event(kind::Retrain{}, "nic0"), event(kind::Acs{}, "rc")};
  const auto events = make_events(scenario);
  ASSERT_FALSE(events);
  ASSERT_EQ(events.error().size(), 2u);
  EXPECT_EQ(events.error()[0].key, "/events/1/kind");
  EXPECT_EQ(events.error()[1].key, "/events/2/device");
}

}  // namespace
}  // namespace peerpath::emulator
