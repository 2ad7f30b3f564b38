#include "scenario/hierarchy.hpp"

#include <gtest/gtest.h>

namespace peerpath::scenario {
namespace {

std::vector<std::string> ends_in_port_order(const std::vector<std::pair<std::string, std::string>>& links) {
  Scenario scenario;
  for (const auto& [from, to] : links) {
    scenario.links.emplace_back();
    scenario.links.back().from = from;
    scenario.links.back().to = to;
  }
  std::vector<std::string> ends;
  for (const auto* link : links_in_port_order(scenario)) ends.push_back(link->to);
  return ends;
}

using Ends = std::vector<std::string>;

TEST(PortOrder, IsThatOfTheLinksWithoutNumbers) {
  EXPECT_EQ(ends_in_port_order({{"rc", "sw0"}, {"sw0", "b"}, {"sw0.left", "a"}}), (Ends{"sw0", "b", "a"}));
}

TEST(PortOrder, IsThatOfTheNumbersInEachRouter) {
  EXPECT_EQ(ends_in_port_order(
                {{"rc.1", "sw1"}, {"sw0.10", "c"}, {"sw0", "d"}, {"rc.0", "sw0"}, {"sw0.2", "a"}, {"sw0.port3", "b"}}),
            (Ends{"sw0", "a", "b", "sw1", "c", "d"}));
}

TEST(AcsEvents, AreOfAllPortsOfARouterOrOfThePortAboveADevice) {
  Scenario scenario;
  scenario.devices = {{"rc", device::RootComplexConfig{}},
                      {"sw", device::SwitchConfig{}},
                      {"a", device::NicConfig{}},
                      {"b", device::GpuConfig{}}};
  for (const auto& [from, to] : {std::pair{"rc", "sw"}, {"sw.0", "a"}, {"sw.1", "b"}}) {
    scenario.links.emplace_back();
    scenario.links.back().from = from;
    scenario.links.back().to = to;
  }
  auto hierarchy = hierarchy_of(scenario);
  const auto controls = [&] {
    std::vector<std::uint16_t> all;
    for (std::size_t i = 0; i < hierarchy.functions.size(); ++i)
      if (hierarchy.functions[i].name.find(" port to ") != std::string::npos) all.push_back(hierarchy.acs[i].control);
    return all;
  };
  using pcie::AcsControl;
  using All = std::vector<std::uint16_t>;
  happen(hierarchy, scenario, {.what = event::Acs{.acs = {AcsControl::request_redirect}}, .device = "sw"});
  EXPECT_EQ(controls(), (All{0, pcie::acs::request_redirect, pcie::acs::request_redirect}));
  happen(hierarchy, scenario, {.what = event::Acs{.acs = {AcsControl::none}}, .device = "a"});
  EXPECT_EQ(controls(), (All{0, 0, pcie::acs::request_redirect}));
  happen(hierarchy, scenario, {.what = event::Acs{.acs = {AcsControl::upstream_forwarding}}, .device = "rc"});
  EXPECT_EQ(controls(), (All{pcie::acs::upstream_forwarding, 0, pcie::acs::request_redirect}));
}

TEST(AcsEvents, AtTheStartAreInForceFromThere) {
  Scenario scenario;
  scenario.devices = {{"rc", device::RootComplexConfig{}}, {"a", device::NicConfig{}}};
  scenario.links.resize(1);
  scenario.links[0].from = "rc";
  scenario.links[0].to = "a";
  scenario.events = {{.what = event::Acs{.acs = {pcie::AcsControl::request_redirect}}, .device = "a"}};
  EXPECT_EQ(hierarchy_of(scenario).acs[0].control, pcie::acs::request_redirect);
  scenario.events[0].at = 1ns;
  EXPECT_EQ(hierarchy_of(scenario).acs[0].control, 0);
}

TEST(HostBridges, AreThoseOfTheRootPortsAbove) {
  Scenario scenario;
  scenario.devices = {{"rc", device::RootComplexConfig{}},
                      {"sw", device::SwitchConfig{}},
                      {"a", device::NicConfig{}},
                      {"b", device::GpuConfig{}}};
  for (const auto& [from, to] : {std::pair{"rc", "sw"}, {"sw", "a"}, {"rc", "b"}}) {
    scenario.links.emplace_back();
    scenario.links.back().from = from;
    scenario.links.back().to = to;
  }
  scenario.links[0].host_bridge = 3;
  const auto hierarchy = hierarchy_of(scenario);
  for (std::size_t i = 0; i < hierarchy.functions.size(); ++i)
    EXPECT_EQ(hierarchy.host_bridges[i], hierarchy.functions[i].name.ends_with("b") ? 0 : 3)
        << hierarchy.functions[i].name;
}

TEST(PortOrder, DecidesWhatSoftwareFindsFirst) {
  Scenario scenario;
  scenario.devices = {
      {"rc", device::RootComplexConfig{}}, {"nic0", device::NicConfig{}}, {"gpu0", device::GpuConfig{}}};
  scenario.links.resize(2);
  scenario.links[0].from = "rc.1";
  scenario.links[0].to = "nic0";
  scenario.links[1].from = "rc.0";
  scenario.links[1].to = "gpu0";
  const auto found = hierarchy_of(scenario).functions;
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "rc port to gpu0");
  EXPECT_EQ(found[2].name, "rc port to nic0");
}

}  // namespace
}  // namespace peerpath::scenario
