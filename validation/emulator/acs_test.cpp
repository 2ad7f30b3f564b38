#include "validation/emulator/acs.hpp"

#include <gmock/gmock.h>

#include "validation/emulator/test_scenario.hpp"

namespace peerpath::emulator {
namespace {

using pcie::AcsControl;

device::SwitchConfig& switch_of(scenario::Scenario& scenario) {
  return std::get<device::SwitchConfig>(scenario.devices[2].config);
}

TEST(Acs, IsOffInAllPortsUnlessTheScenarioSaysOtherwise) {
  EXPECT_EQ(acs_kernel_word(test_scenario()), "pci=config_acs=00000x0@pci:1b36:c;00000x0@pci:104c:8233");
}

TEST(Acs, SwitchesAndRootPortsHaveTheirOwn) {
  auto scenario = test_scenario();
  switch_of(scenario).acs = {AcsControl::source_validation, AcsControl::request_redirect,
                             AcsControl::completion_redirect, AcsControl::upstream_forwarding};
  std::get<device::RootComplexConfig>(scenario.devices[0].config).acs = {AcsControl::upstream_forwarding};
  EXPECT_EQ(acs_kernel_word(scenario), "pci=config_acs=00100x0@pci:1b36:c;00111x1@pci:104c:8233");
  EXPECT_EQ(acs_register(switch_of(scenario).acs), 0x1d);
}

TEST(Acs, SaysWhatThePortsHaveNot) {
  auto scenario = test_scenario();
  switch_of(scenario).acs = {AcsControl::egress_control};
  scenario.devices.push_back({"sw1", device::SwitchConfig{}});
  const auto word = acs_kernel_word(scenario);
  ASSERT_FALSE(word);
  ASSERT_EQ(word.error().size(), 2u);
  EXPECT_EQ(word.error()[0].key, "/devices/sw0/acs");
  EXPECT_EQ(word.error()[1].key, "/devices/sw1/acs");
}

}  // namespace
}  // namespace peerpath::emulator
