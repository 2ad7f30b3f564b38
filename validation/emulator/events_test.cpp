#include "validation/emulator/events.hpp"

#include <gmock/gmock.h>

#include "validation/emulator/test_scenario.hpp"

namespace peerpath::emulator {
namespace {

using namespace std::chrono_literals;
using scenario::EventKind;
using testing::HasSubstr;

scenario::Event event(EventKind kind, const char* device, Duration at = 1ms) {
  scenario::Event out;
  out.kind = kind;
  out.device = device;
  out.at = at;
  return out;
}

TEST(Events, AcsOfAllPortsOfASwitchOrOfOne) {
  auto scenario = test_scenario();
  scenario.events = {event(EventKind::acs, "sw0"), event(EventKind::acs, "gpu0")};
  scenario.events[0].acs = {pcie::AcsControl::request_redirect, pcie::AcsControl::completion_redirect};
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
  scenario.events = {event(EventKind::port_up, "nic0", 2ms), event(EventKind::port_down, "nic0", 1ms)};
  const auto events = make_events(scenario);
  ASSERT_TRUE(events);
  EXPECT_THAT((*events)[0].commands[0], HasSubstr("\"up\":false"));
  EXPECT_THAT((*events)[1].commands[0], HasSubstr("\"up\":true"));
}

TEST(Events, SaysWhatItCannotDo) {
  auto scenario = test_scenario();
  scenario.events = {event(EventKind::drop_frame, "nic0"), event(EventKind::retrain, "nic0"),
                     event(EventKind::acs, "rc")};
  const auto events = make_events(scenario);
  ASSERT_FALSE(events);
  ASSERT_EQ(events.error().size(), 2u);
  EXPECT_EQ(events.error()[0].key, "/events/1/kind");
  EXPECT_EQ(events.error()[1].key, "/events/2/device");
}

}  // namespace
}  // namespace peerpath::emulator
