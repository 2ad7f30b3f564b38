#include "validation/import/import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::import {
namespace {

using Json = nlohmann::json;

std::filesystem::path testdata(SourcePlace here = SourcePlace::current()) {
  return std::filesystem::path{here.file}.parent_path() / "testdata";
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The preset of a dump, which must load.
Preset made_of(const std::string& text) {
  auto preset = import_dump(text, "dump");
  EXPECT_TRUE(preset) << (preset ? "" : to_string(preset.error().front()));
  if (!preset) return {"{}", {}};
  scenario::LoadOptions options;
  options.without_traffic = true;
  const auto loaded = scenario::load_text(preset->text, "preset.json", options);
  EXPECT_TRUE(loaded) << (loaded ? "" : to_string(loaded.error().front()));
  return std::move(*preset);
}

Json json_of(const Preset& preset) { return Json::parse(preset.text); }

Json link_to(const Json& preset, const std::string& device) {
  for (const auto& link : preset["links"])
    if (link["to"] == device) return link;
  return nullptr;
}

int count(const Json& preset, const std::string& kind) {
  return static_cast<int>(
      std::ranges::count_if(preset["devices"], [&](const Json& device) { return device["kind"] == kind; }));
}

bool said(const Preset& preset, std::string_view what) {
  return std::ranges::any_of(preset.notes, [&](const auto& note) { return note.find(what) != note.npos; });
}

std::string problem(const std::string& text) {
  const auto preset = import_dump(text, "dump");
  return preset ? "" : to_string(preset.error().front());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Import, EveryDumpOfTheTestsMakesAScenarioThatLoads) {
  int dumps = 0;
  for (const auto& entry : std::filesystem::directory_iterator{testdata()}) {
    if (entry.path().extension() == ".md") continue;
    SCOPED_TRACE(entry.path().string());
    EXPECT_FALSE(json_of(made_of(text_of(entry.path())))["links"].empty());
    ++dumps;
  }
  EXPECT_GE(dumps, 7);
}

TEST(Import, NcclsTopologyOfTwoSockets) {
  const auto preset = made_of(text_of(testdata() / "two_sockets.xml"));
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "root_complex"), 2);
  EXPECT_EQ(count(json, "pcie_switch"), 2) << "one without anything below is left out";
  EXPECT_EQ(link_to(json, "switch0"), Json({{"from", "rc0"}, {"to", "switch0"}, {"generation", 5}, {"width", 16}}));
  EXPECT_EQ(link_to(json, "nic1"), Json({{"from", "switch0"}, {"to", "nic1"}, {"generation", 4}, {"width", 8}}));
  EXPECT_EQ(link_to(json, "gpu2"), Json({{"from", "switch1"}, {"to", "gpu2"}})) << "a hidden link";
  EXPECT_EQ(link_to(json, "gpu3")["from"], "rc1");
  EXPECT_EQ(json["devices"]["nic0"]["wire_rate"], "400000Mbps");
  EXPECT_EQ(json["devices"]["nic2"]["wire_rate"], "200000Mbps") << "the faster of two ports";
  EXPECT_EQ(json["inter_socket"][0]["rate"], "166400Mbps");
  EXPECT_TRUE(said(preset, "taken for two sockets"));
  EXPECT_TRUE(said(preset, "nic1 is mlx5_1"));
  EXPECT_TRUE(said(preset, "left out: eth0 (it has no PCI function), 0000:9b:00.0 (class 0x068000)"));
  EXPECT_TRUE(said(preset, "so they have the default: gpu2"));
}

TEST(Import, NcclsTopologyOfFourNumaNodesSharesARootComplex) {
  const auto preset = made_of(text_of(testdata() / "ndv4.xml"));
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "gpu"), 8);
  EXPECT_EQ(count(json, "nic"), 8);
  EXPECT_EQ(link_to(json, "switch3"),
            Json({{"from", "rc"}, {"to", "switch3"}, {"generation", 4}, {"width", 16}, {"host_bridge", 3}}));
  EXPECT_EQ(link_to(json, "gpu7")["from"], "switch3");
  EXPECT_TRUE(said(preset, "4 NUMA nodes"));
}

TEST(Import, NcclsTopologyIsRefusedWithItsLine) {
  const auto good = text_of(testdata() / "two_sockets.xml");
  EXPECT_EQ(problem(replaced(good, "busid=\"0000:17:00.0\" ", "")), "dump:5:1: a <pci> without busid");
  EXPECT_EQ(problem(replaced(good, "0000:18:00.0", "0000:17:00.0")), "dump:10:1: 0000:17:00.0 is there twice");
  EXPECT_EQ(
      problem(replaced(good, "link_width=\"8\"", "link_width=\"7\"")),
      "dump:16:1: 0000:1a:00.0 has a link of \"16.0 GT/s PCIe\" and \"7\" lanes; expected such as \"16.0 GT/s PCIe\" "
      "and \"16\"");
  EXPECT_NE(problem(replaced(good, "16.0 GT/s PCIe", "17.0 GT/s PCIe")).find("dump:16:1: "), std::string::npos);
  EXPECT_NE(problem(replaced(good, "<cpu host_hash=\"0x1234\" numaid=\"1\"", "<cpu host_hash=\"0x9\" numaid=\"1\""))
                .find("dump:22:1: a CPU of another host"),
            std::string::npos);
  EXPECT_EQ(problem("<graphs version=\"1\"/>"), "dump:1:1: <graphs> is not the <system> of a topology of NCCL");
  EXPECT_EQ(problem("<system version=\"1\">\n<cpu/></system>"), "dump:1:1: no GPU and no NIC below any <cpu>");
  EXPECT_EQ(problem("<system>\n<cpu><pci busid=\"10:0500:00.0\"/></cpu></system>"),
            "dump:2:1: 10:0500:00.0 is no busid such as 0000:3b:00.0");
  EXPECT_EQ(problem("<system>\n<cpu><pci busid=\"0000:17:00.0\"/></cpu></system>"),
            "dump:2:1: 0000:17:00.0 has no class such as 0x030200, and neither <gpu> nor <nic> in it");
}

TEST(Import, TheMatrixOfADgxA100HasFourSwitchesAndACard) {
  const auto preset = made_of(text_of(testdata() / "dgx_a100.topo"));
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "gpu"), 8);
  EXPECT_EQ(count(json, "nic"), 10);
  EXPECT_EQ(count(json, "pcie_switch"), 5) << "one above each group of two GPUs and two NICs, and the two-port card's";
  for (const auto& [gpu, nic] : {std::pair{"gpu0", "nic1"}, {"gpu3", "nic2"}, {"gpu6", "nic7"}})
    EXPECT_EQ(link_to(json, gpu)["from"], link_to(json, nic)["from"]);
  EXPECT_NE(link_to(json, "gpu1")["from"], link_to(json, "gpu2")["from"]);
  EXPECT_TRUE(said(preset, "5 NUMA nodes"));
  EXPECT_FALSE(link_to(json, "gpu0").contains("width")) << "not in a matrix";
}

TEST(Import, TheMatrixOfAWorkstation) {
  const auto preset = made_of(text_of(testdata() / "workstation.topo"));
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "root_complex"), 1);
  EXPECT_EQ(link_to(json, "gpu0")["from"], link_to(json, "nic0")["from"]);
  EXPECT_EQ(link_to(json, "gpu1")["from"], "rc");
  EXPECT_TRUE(said(preset, "in the matrix nic0 is mlx5_0"));
}

TEST(Import, LspciOfAServerWithOnePort) {
  const auto json = json_of(made_of(text_of(testdata() / "r210.lspci")));
  ASSERT_EQ(json["links"].size(), 1U) << "both ports of a card share the link of the first";
  EXPECT_EQ(json["links"][0], Json({{"from", "rc"}, {"to", "nic0"}, {"generation", 1}, {"width", 4}}));
  EXPECT_EQ(json["devices"]["nic0"]["function"]["max_payload"], "128B");
  EXPECT_EQ(json["devices"]["rc"]["max_payload_supported"], "128B");
  EXPECT_EQ(json["devices"]["rc"]["host_bridge"], "unlisted");
}

TEST(Import, LspciOfAMachineWithADomainForEachRootComplex) {
  const auto preset = made_of(text_of(testdata() / "altra.lspci"));
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "nic"), 2);
  EXPECT_EQ(link_to(json, "nic1"), Json({{"from", "rc"}, {"to", "nic1"}, {"generation", 3}, {"width", 4}}));
  EXPECT_EQ(link_to(json, "dma_card0")["generation"], 4);
  EXPECT_EQ(json["devices"]["nic1"]["function"]["max_payload"], "256B");
  EXPECT_TRUE(said(preset, "0002:04:00.0: the bridge above it is not in the dump"));
  EXPECT_TRUE(said(preset, "IOMMU groups"));
}

TEST(Import, LspciOfAChipsetThatIsASwitch) {
  const auto preset = made_of(text_of(testdata() / "x570d4u.lspci"));
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "pcie_switch"), 1);
  EXPECT_EQ(count(json, "nic"), 2) << "a virtual function has no link of its own";
  EXPECT_EQ(link_to(json, "switch0"), Json({{"from", "rc"}, {"to", "switch0"}, {"generation", 4}, {"width", 4}}));
  EXPECT_EQ(link_to(json, "nic0")["from"], "switch0");
  EXPECT_TRUE(said(preset, "switch0 (0000:20:00.0): its link was trained to Gen4 x4, it can do Gen4 x8"));
}

/// A switch below a switch: GPU0 and NIC0 are PIX, GPU1 is PXB to both.
constexpr std::string_view nested =
    "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\n"
    "GPU0\tX\tPXB\tPIX\tSYS\t0-3\n"
    "GPU1\tPXB\tX\tPXB\tSYS\t0-3\n"
    "NIC0\tPIX\tPXB\tX\tSYS\n"
    "NIC1\tSYS\tSYS\tSYS\tX\n";

TEST(Import, PxbIsASwitchAboveThoseOfPix) {
  const auto preset = made_of(std::string{nested});
  const auto json = json_of(preset);
  EXPECT_EQ(link_to(json, "gpu1")["from"], "switch0");
  EXPECT_EQ(link_to(json, "switch1")["from"], "switch0");
  EXPECT_EQ(link_to(json, "gpu0")["from"], "switch1");
  EXPECT_EQ(link_to(json, "nic0")["from"], "switch1");
  EXPECT_EQ(link_to(json, "nic1")["from"], "rc1");
}

TEST(Import, AMatrixIsRefusedWithItsLine) {
  const std::string good{nested};
  EXPECT_EQ(problem(replaced(good, "GPU1\tPXB", "GPU1\tPXC")),
            "dump:3:1: \"PXC\" is none of X, PIX, PXB, PHB, NODE, SYS, NV#");
  EXPECT_EQ(problem(replaced(good, "NIC0\tPIX", "NIC0\tPHB")),
            "dump:4:1: NIC0 and GPU0 are PHB here, and something else the other way round");
  EXPECT_EQ(problem(replaced(good, "NIC0\tPIX\tPXB\tX\tSYS", "NIC0\tPIX\tPXB\tX")),
            "dump:4:1: NIC0 has 3 entries for 4 devices");
  EXPECT_EQ(problem(replaced(good, "GPU1\tPXB\tX", "GPU1\tX\tPXB")), "dump:3:1: X is for a device and itself only");
  EXPECT_EQ(problem(replaced(good, "GPU1\tPXB\tX\tPXB\tSYS\t0-3\n", "")), "dump:1:1: there is no row of GPU1");
  EXPECT_EQ(problem(replaced(good, "NIC1\tSYS", "NIC2\tSYS")), "dump:5:1: \"NIC2\" is not at the head of the matrix");
  EXPECT_EQ(problem(good + "NIC1\tSYS\tSYS\tSYS\tX\n"), "dump:6:1: NIC1 has a row already, at line 5");
  auto far = replaced(good, "GPU1\tPXB\tX\tPXB", "GPU1\tPXB\tX\tSYS");
  far = replaced(far, "NIC0\tPIX\tPXB", "NIC0\tPIX\tSYS");
  EXPECT_EQ(problem(far), "dump:4:1: GPU1 and NIC0 are SYS, but by way of other devices PXB; no tree has that");
}

TEST(Import, NvlinksHideHowNearTwoGpusAreAndTheirNumaNodeTells) {
  const auto json =
      json_of(made_of("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                      "GPU0\tX\tNV4\t0-3\t0\nGPU1\tNV4\tX\t4-7\t1\n"));
  EXPECT_EQ(count(json, "root_complex"), 2);
  EXPECT_EQ(count(json_of(made_of("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                                  "GPU0\tX\tNV4\t0-3\t0\nGPU1\tNV4\tX\t4-7\t0\n")),
                  "root_complex"),
            1);
}

/// An eight-GPU machine of before switches for NVLink, halved: the matrix has no NUMA column.
constexpr std::string_view by_cpus =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tib0\tCPU Affinity\n"
    "GPU0\tX\tNV1\tNV2\tSYS\tPIX\t0-15\n"
    "GPU1\tNV1\tX\tSYS\tNV2\tNODE\t0-15\n"
    "GPU2\tNV2\tSYS\tX\tNV1\tSYS\t16-31\n"
    "GPU3\tSYS\tNV2\tNV1\tX\tSYS\t16-31\n"
    "ib0\tPIX\tNODE\tSYS\tSYS\tX\n";

TEST(Import, CpuAffinityPutsGpusThatNvlinksJoinAtTheirSocket) {
  const auto preset = made_of(std::string{by_cpus});
  const auto json = json_of(preset);
  EXPECT_EQ(count(json, "root_complex"), 2);
  EXPECT_EQ(link_to(json, "gpu0")["from"], link_to(json, "nic0")["from"]);
  EXPECT_EQ(link_to(json, "gpu1")["from"], "rc0");
  EXPECT_FALSE(link_to(json, "gpu1").contains("source")) << "by way of ib0 its distance to GPU0 is known";
  for (const auto* gpu : {"gpu2", "gpu3"}) {
    EXPECT_EQ(link_to(json, gpu)["from"], "rc1");
    EXPECT_NE(link_to(json, gpu)["source"].get<std::string>().find("assumed: NVLinks hide how near"),
              std::string::npos);
  }
  EXPECT_TRUE(said(preset, "gpu2, gpu3 may share a switch or host bridge"));
}

TEST(Import, AnAffinityDoesNotJoinWhatTheMatrixHoldsApart) {
  const auto json =
      json_of(made_of("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\tX\tSYS\t0-31\t0\nGPU1\tSYS\tX\t0-31\t0\n"));
  EXPECT_EQ(count(json, "root_complex"), 2);
}

TEST(Import, LspciKeepsTheAddressOfEachDevice) {
  const auto json = json_of(made_of(text_of(testdata() / "x570d4u.lspci")));
  EXPECT_EQ(json["devices"]["switch0"]["address"], "0000:20:00.0");
  for (const auto& [name, device] : json["devices"].items())
    EXPECT_EQ(device.contains("address"), device["kind"] != "root_complex" && device["kind"] != "host_memory") << name;
}

}  // namespace
}  // namespace peerpath::import
