// hwloc, `lspci -tv` and `rocm-smi --showtopo`.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "peerpath/base/fail.hpp"
#include "validation/import/import.hpp"

namespace peerpath::import {
namespace {

using Json = nlohmann::json;

std::string file_text(const std::string& name, SourcePlace here = SourcePlace::current()) {
  std::ifstream in{std::filesystem::path{here.file}.parent_path() / "testdata" / name, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

Preset imported(const std::string& text) {
  auto preset = import_dump(text, "dump");
  EXPECT_TRUE(preset) << (preset ? "" : to_string(preset.error().front()));
  return preset ? std::move(*preset) : Preset{"{}", {}};
}

std::string first_problem_of(const std::string& text) {
  const auto preset = import_dump(text, "dump");
  return preset ? "" : to_string(preset.error().front());
}

std::string changed(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

Json link_above(const Json& preset, const std::string& device) {
  for (const auto& link : preset["links"])
    if (link["to"] == device) return link;
  return nullptr;
}

bool notes(const Preset& preset, std::string_view what) {
  return std::ranges::any_of(preset.notes, [&](const auto& note) { return note.find(what) != note.npos; });
}

TEST(ImportHwloc, PackagesAreSocketsAndBridgesSwitches) {
  const auto preset = imported(file_text("switch.hwloc.xml"));
  const auto json = Json::parse(preset.text);
  EXPECT_EQ(json["devices"].size(), 8U) << "two root complexes with memory, a switch, two GPUs, a NIC; no drive";
  EXPECT_EQ(link_above(json, "switch0")["from"], "rc0");
  EXPECT_EQ(link_above(json, "switch0")["generation"], 5);
  EXPECT_EQ(link_above(json, "gpu0")["from"], "switch0");
  EXPECT_EQ(link_above(json, "nic0")["from"], "switch0");
  EXPECT_EQ(link_above(json, "gpu1"), Json({{"from", "rc1"}, {"to", "gpu1"}})) << "a hidden link";
  EXPECT_EQ(json["devices"]["gpu0"]["address"], "0000:18:00.0");
  EXPECT_EQ(json["devices"]["switch0"]["address"], "0000:16:00.0");
  EXPECT_TRUE(notes(preset, "nic0 is enp25s0f0np0/mlx5_0"));
  EXPECT_TRUE(notes(preset, "left out: 1 functions"));
  EXPECT_NE(json["source"].get<std::string>().find("the links of gpu1"), std::string::npos);
}

TEST(ImportHwloc, ABandwidthOfSeveralLinksIsTakenForTheWidestAndMarked) {
  const auto json = Json::parse(imported(file_text("switch.hwloc.xml")).text);
  const auto link = link_above(json, "nic0");
  EXPECT_EQ(link["generation"], 4);
  EXPECT_EQ(link["width"], 16);
  EXPECT_EQ(link["source"], "assumed: hwloc gives the bandwidth of the link, which also Gen5 x8 has");
}

TEST(ImportHwloc, IsRefusedWithItsLine) {
  const auto good = file_text("switch.hwloc.xml");
  EXPECT_EQ(first_problem_of(changed(good, "pci_busid=\"0000:18:00.0\"", "pci_busid=\"\"")),
            "dump:15:1: a PCIDev whose pci_busid is not such as 0000:3b:00.0");
  EXPECT_EQ(first_problem_of(changed(good, "pci_busid=\"0000:18:00.0\"", "pci_busid=\"0000:180:0.0\"")),
            "dump:15:1: a PCIDev whose pci_busid is not such as 0000:3b:00.0");
  EXPECT_EQ(first_problem_of(changed(good, "63.015385", "fast")),
            "dump:12:1: 0000:15:01.0 has a pci_link_speed that is no number");
  EXPECT_EQ(first_problem_of("<topology version=\"2.0\"><object type=\"Machine\"/></topology>"),
            "dump:1:1: no GPU and no NIC; was lstopo run with --no-io, or on a machine without them?");
}

TEST(ImportLspciTree, BusesAndNamesMakeAMachine) {
  const auto preset = imported(file_text("two_roots.tree"));
  const auto json = Json::parse(preset.text);
  EXPECT_EQ(json["devices"].size(), 7U) << "the root complex with memory, a switch, two GPUs, two NICs";
  EXPECT_EQ(link_above(json, "gpu0")["from"], "switch0");
  EXPECT_EQ(link_above(json, "nic0")["from"], "switch0") << "both ports share the link of the first";
  EXPECT_EQ(link_above(json, "nic1"), Json({{"from", "rc"}, {"to", "nic1"}, {"host_bridge", 1}}));
  EXPECT_EQ(json["devices"]["gpu0"]["address"], "0000:83:00.0");
  EXPECT_EQ(json["devices"]["gpu1"]["address"], "0000:02:00.0");
  EXPECT_TRUE(notes(preset, "gpu1 is NVIDIA Corporation TU104GL [Tesla T4]"));
  EXPECT_TRUE(notes(preset, "told by their names"));
}

TEST(ImportLspciTree, IsRefusedWithItsLine) {
  const auto good = file_text("two_roots.tree");
  EXPECT_EQ(first_problem_of(changed(good, "+-04.0-[84]", "+-04.0-[8x]")), "dump:3:1: a bus that cannot be read");
  EXPECT_EQ(first_problem_of(changed(good, "\\-08.0-[85]", "\\-8.0-[85]")),
            "dump:5:1: \"8.0\" is no function such as 00.0");
  EXPECT_EQ(first_problem_of("-[0000:00]-+-00.0\n           \\-01.0-[01]----00.0\n"),
            "dump:1:1: the tree names no device; expected the output of lspci -tv");
  EXPECT_EQ(first_problem_of("-[0000:80]-[0000:81]-+-00.0  Intel Corporation Ice Lake VT-d\n"),
            "dump:1:1: a bus behind no bridge; expected a tree of lspci");
}

TEST(ImportRocm, NumaNodesAreSocketsAndTheRestIsAssumed) {
  const auto preset = imported(file_text("four_gpus.rocm"));
  const auto json = Json::parse(preset.text);
  EXPECT_EQ(json["devices"].size(), 8U);
  EXPECT_EQ(link_above(json, "gpu1")["from"], "rc0");
  EXPECT_EQ(link_above(json, "gpu2")["from"], "rc1");
  EXPECT_NE(link_above(json, "gpu0")["source"].get<std::string>().find("does not show switches"), std::string::npos);
  EXPECT_EQ(json["inter_socket"][0]["rate"], "256Gbps");
  EXPECT_TRUE(notes(preset, "neither switches nor NICs"));
  EXPECT_EQ(first_problem_of("GPU[0]\t\t: (Topology) Numa Node: 0\nGPU[0]\t\t: (Topology) Numa Node: 1\n"),
            "dump:2:1: a GPU that is there twice, or whose number or node cannot be read");
}

}  // namespace
}  // namespace peerpath::import
