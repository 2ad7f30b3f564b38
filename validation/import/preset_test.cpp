#include "validation/import/preset.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/pcie/acs.hpp"

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
  const auto json = nlohmann::json::parse(preset->text);
  EXPECT_EQ(json["devices"]["nic0"]["function"]["max_read_request"], "4096B");
  EXPECT_EQ(json["devices"]["nic0"]["function"]["tags"], 256);
  EXPECT_EQ(json["devices"]["gpu0"]["kind"], "gpu");
  EXPECT_EQ(json["devices"]["switch0"]["kind"], "pcie_switch");
  ASSERT_EQ(json["links"].size(), 3u);
  EXPECT_EQ(json["links"][0], nlohmann::json({{"from", "rc"}, {"to", "switch0"}, {"generation", 5}, {"width", 16}}));
  EXPECT_EQ(json["links"][1], nlohmann::json({{"from", "switch0"}, {"to", "nic0"}, {"generation", 4}, {"width", 8}}));
}

/// Two root ports of one root bus, one of another, with a NIC each.
std::vector<Function> three_ports(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  std::vector<Function> functions;
  for (const auto& [bus, below, acs] : {std::tuple{0, 1, a}, {0, 2, b}, {0x80, 0x81, c}}) {
    functions.push_back(bridge(bus, below, "Root Port (Slot+)", pcie::LinkShape{5, 16}));
    functions.back().device = below;
    functions.back().acs_control = acs;
    functions.push_back(leaf(below, "Ethernet controller", {5, 16}));
  }
  return functions;
}

nlohmann::json made_of(const std::vector<Function>& functions) {
  return nlohmann::json::parse(to_preset(functions, "d.txt")->text);
}

TEST(Preset, AcsOfTheRootPortsIsThatOfTheRootComplex) {
  constexpr auto on = pcie::acs::linux_default;
  const auto all = made_of(three_ports(on, on, on));
  EXPECT_EQ(all["devices"]["rc"]["acs"], nlohmann::json({"SV", "RR", "CR", "UF"}));
  EXPECT_FALSE(all.contains("events"));
  const auto none = made_of(three_ports(0, 0, 0));
  EXPECT_FALSE(none["devices"]["rc"].contains("acs"));
  const auto most = made_of(three_ports(on, 0, on));
  EXPECT_EQ(most["devices"]["rc"]["acs"], nlohmann::json({"SV", "RR", "CR", "UF"}));
  ASSERT_EQ(most["events"].size(), 1U);
  EXPECT_EQ(most["events"][0], nlohmann::json({{"at", "0ns"}, {"kind", "acs"}, {"device", "nic1"}, {"acs", "none"}}));
}

TEST(Preset, AcsOfASwitchIsThatOfItsDownstreamPorts) {
  auto switched = [](std::uint16_t control) {
    std::vector<Function> functions{bridge(0, 1, "Root Port (Slot+)", pcie::LinkShape{5, 16}),
                                    bridge(1, 2, "Upstream Port", pcie::LinkShape{5, 16}),
                                    bridge(2, 3, "Downstream Port (Slot+)", pcie::LinkShape{4, 8}),
                                    leaf(3, "Ethernet controller", {4, 8})};
    functions[2].acs_control = control;
    return functions;
  };
  const auto json = made_of(switched(pcie::acs::request_redirect | pcie::acs::egress_control));
  EXPECT_EQ(json["devices"]["switch0"]["acs"], nlohmann::json({"RR", "EC"}));
  EXPECT_FALSE(json["devices"]["rc"].contains("acs"));
}

TEST(Preset, RootBusesAreHostBridges) {
  const auto json = made_of(three_ports(0, 0, 0));
  EXPECT_FALSE(json["links"][1].contains("host_bridge"));
  EXPECT_EQ(json["links"][2]["host_bridge"], 1);
  EXPECT_EQ(json["devices"]["rc"]["host_bridge"], "unlisted") << "root buses that begin with nothing known";
}

TEST(Preset, RootComplexTakesTheLargestPayloadOfItsPorts) {
  auto functions = three_ports(0, 0, 0);
  functions[0].max_payload_supported = Bytes{128};
  functions[2].max_payload_supported = Bytes{1024};
  EXPECT_EQ(made_of(functions)["devices"]["rc"]["max_payload_supported"], "1024B");
}

TEST(Preset, AGpuHasItsWindowAndItsTags) {
  auto gpu = leaf(1, "3D controller", {5, 16});
  gpu.window = Bytes{std::int64_t{128} << 30};
  gpu.ten_bit_tag = true;
  const auto json = made_of({bridge(0, 1, "Root Port (Slot+)", {}), gpu});
  EXPECT_EQ(json["devices"]["gpu0"]["bar_size"], "128GiB");
  EXPECT_EQ(json["devices"]["gpu0"]["function"]["tags"], 768);
}

TEST(Preset, AGpuWhoseMemoryHasNoAddressIsRefused) {
  auto gpu = leaf(1, "3D controller", {4, 16});
  gpu.window = Bytes{32 << 20};
  gpu.dead_region = DeadRegion{1, 57, "unassigned", {}};
  const auto preset = to_preset({gpu}, "d.txt");
  ASSERT_FALSE(preset);
  EXPECT_NE(to_string(preset.error().front()).find("d.txt:57:1: 0000:01:00.0: Region 1 is unassigned"),
            std::string::npos);
  gpu.kind = "Non-Volatile memory controller";
  EXPECT_TRUE(to_preset({gpu}, "d.txt")) << "other devices have no window here";
}

TEST(Preset, TwoNumaNodesAreTwoSockets) {
  auto functions = three_ports(0, 0, 0);
  for (std::size_t n = 0; n < 4; ++n) functions[n].numa_node = 0;
  functions[4].numa_node = 1;  // the root port alone, as of a device without a driver
  const auto preset = to_preset(functions, "d.txt");
  const auto json = nlohmann::json::parse(preset->text);
  EXPECT_EQ(json["links"][1]["from"], "rc0");
  EXPECT_EQ(json["links"][2], nlohmann::json({{"from", "rc1"}, {"to", "nic2"}, {"generation", 5}, {"width", 16}}));
  EXPECT_EQ(json["devices"]["dram1"]["at"], "rc1");
  EXPECT_EQ(json["inter_socket"][0]["to"], "rc1");
  EXPECT_EQ(json["devices"]["nic2"]["address"], functions[5].address());
  functions[2].numa_node = functions[3].numa_node = 2;
  EXPECT_EQ(made_of(functions)["links"][2]["from"], "rc") << "three nodes share a root complex";
}

TEST(Preset, AnEndpointOnARootBusIsThatOfAVirtualMachine) {
  auto gpu = leaf(0, "3D controller", {5, 16});
  gpu.device = 5;
  EXPECT_TRUE(made_of({gpu})["devices"].contains("gpu0"));
  gpu.port = "Root Complex Integrated Endpoint";
  EXPECT_FALSE(to_preset({gpu}, "d.txt"));
}

TEST(Preset, LeavesOutWhatARouterHasNoPortsFor) {
  std::vector<Function> functions;
  for (int i = 1; i <= 24; ++i) {
    functions.push_back(bridge(0, i, "Root Port (Slot+)", pcie::LinkShape{4, 4}));
    functions.back().device = i;
    functions.push_back(leaf(i, i == 24 ? "Ethernet controller" : "Non-Volatile memory controller", {4, 4}));
  }
  const auto json = made_of(functions);
  EXPECT_EQ(json["links"].size(), 20U);
  EXPECT_EQ(json["devices"].size(), 22U);  // with rc and dram
  EXPECT_TRUE(json["devices"].contains("nic0"));
  EXPECT_TRUE(json["devices"].contains("dma_card18"));
  EXPECT_FALSE(json["devices"].contains("dma_card19"));
}

TEST(Preset, SaysWhatTheDumpLeavesOpen) {
  auto gpu = leaf(1, "3D controller", {1, 16});
  gpu.link_capability = pcie::LinkShape{5, 16};
  gpu.iommu_group = 7;
  const auto preset = to_preset({gpu}, "d.txt");
  ASSERT_TRUE(preset);
  const auto said = [&](std::string_view what) {
    return std::ranges::any_of(preset->notes, [&](const auto& note) { return note.find(what) != note.npos; });
  };
  EXPECT_TRUE(said("gpu0 (0000:01:00.0): its link was trained to Gen1 x16, it can do Gen5 x16"));
  EXPECT_TRUE(said("the bridge above it is not in the dump"));
  EXPECT_TRUE(said("IOMMU"));
}

TEST(Preset, TheBenchmarkCardIsADmaCardWithItsDigests) {
  auto card = leaf(3, "Ethernet controller", {3, 8});
  card.name = "Netronome Systems, Inc. Device 6000";
  card.ecrc_generation = true;
  const auto preset = to_preset({card}, "d.txt");
  ASSERT_TRUE(preset);
  const auto json = nlohmann::json::parse(preset->text);
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

TEST(Preset, APayloadAboveItsCapabilityIsAProblemWithALine) {
  auto nic = leaf(3, "Ethernet controller", {4, 8});
  nic.line = 42;
  nic.max_payload = Bytes{1024};
  const auto preset = to_preset({nic}, "d.txt");
  ASSERT_FALSE(preset);
  EXPECT_EQ(preset.error().front().line, 42);
}

}  // namespace
}  // namespace peerpath::import
