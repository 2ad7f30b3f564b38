#include "validation/import/preset.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace peerpath::import {
namespace {

Function bridge(int bus, int below, std::string port, std::optional<pcie::LinkShape> link) {
  Function f;
  f.bus = bus;
  f.kind = "PCI bridge";
  f.port = std::move(port);
  f.secondary = below;
  f.subordinate = below;
  f.link = link;
  return f;
}

Function leaf(int bus, std::string kind, pcie::LinkShape link) {
  Function f;
  f.bus = bus;
  f.kind = std::move(kind);
  f.port = "Endpoint";
  f.link = link;
  f.max_payload_supported = Bytes{512};
  f.max_payload = Bytes{256};
  f.max_read_request = Bytes{4096};
  f.extended_tag = true;
  return f;
}

TEST(Preset, ASwitchWithANicAndAGpuBelow) {
  const std::vector<Function> functions{bridge(0, 1, "Root Port (Slot+)", pcie::LinkShape{5, 16}),
                                        bridge(1, 2, "Upstream Port", pcie::LinkShape{5, 16}),
                                        bridge(2, 3, "Downstream Port (Slot+)", pcie::LinkShape{4, 8}),
                                        leaf(3, "Ethernet controller", {4, 8}), leaf(3, "3D controller", {5, 16})};
  const auto preset = to_preset(functions, "d.txt");
  ASSERT_TRUE(preset);
  const auto json = nlohmann::json::parse(*preset);
  EXPECT_EQ(json["devices"]["nic0"]["function"]["max_read_request"], "4096B");
  EXPECT_EQ(json["devices"]["nic0"]["function"]["tags"], 256);
  EXPECT_EQ(json["devices"]["gpu0"]["kind"], "gpu");
  ASSERT_EQ(json["links"].size(), 3u);
  EXPECT_EQ(json["links"][0], nlohmann::json({{"from", "rc"}, {"to", "switch0"}, {"generation", 5}, {"width", 16}}));
  EXPECT_EQ(json["links"][1], nlohmann::json({{"from", "switch0"}, {"to", "nic0"}, {"generation", 4}, {"width", 8}}));
}

TEST(Preset, TheBenchmarkCardIsADmaCardWithItsDigests) {
  auto card = leaf(3, "Ethernet controller", {3, 8});
  card.name = "Netronome Systems, Inc. Device 6000";
  card.ecrc_generation = true;
  const auto preset = to_preset({card}, "d.txt");
  ASSERT_TRUE(preset);
  const auto json = nlohmann::json::parse(*preset);
  EXPECT_EQ(json["devices"]["dma_card0"]["ecrc"], true);
  EXPECT_FALSE(json["devices"].contains("nic0"));
}

TEST(Preset, HiddenCapabilitiesAreAProblemWithALine) {
  auto nic = leaf(3, "Ethernet controller", {4, 8});
  nic.line = 42;
  nic.max_payload.reset();
  const auto preset = to_preset({nic}, "d.txt");
  ASSERT_FALSE(preset);
  EXPECT_EQ(preset.error().front().line, 42);
  EXPECT_FALSE(to_preset({}, "d.txt"));
}

}  // namespace
}  // namespace peerpath::import
