#include "tools/report/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tools/report/sample.hpp"

namespace peerpath::report {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Topology, DrawsEveryDeviceAndBothDirectionsOfEveryLink) {
  const auto svg = topology_svg(Json::parse(sample_results));
  EXPECT_EQ(occurrences(svg, "<rect"), 4u);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"load"), 6u);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"load3\""), 1u);  // 80 % busy
  EXPECT_NE(svg.find("204.1 Gb/s, 80 %"), std::string::npos);
}

TEST(Topology, LongNamesTakeLinesThatFitIntoTheirBox) {
  const auto svg = topology_svg(Json::parse(R"({"ledger": [
    {"link": "l", "direction": "up", "nearer": "rc", "farther": "rc unsupported requests"},
    {"link": "m", "direction": "up", "nearer": "rc", "farther": "nvidia_h200withoutanyblank"}]})"));
  for (const char* line : {">rc </text>", ">unsupported </text>", ">requests</text>", ">nvidia_</text>",
                           ">h200withoutan</text>", ">yblank</text>"})
    EXPECT_NE(svg.find(line), std::string::npos) << line << " in " << svg;
}

TEST(Topology, NoLineIsDrawnOverARate) {
  const auto svg = topology_svg(Json::parse(sample_results));
  EXPECT_LT(svg.rfind("<polyline"), svg.find("class=\"rate"));
}

TEST(Topology, FortyDevicesFitOnThePageSideBySide) {
  auto results = Json::object({{"ledger", Json::array()}});
  for (int i = 0; i < 40; ++i)
    results["ledger"].push_back(
        {{"link", std::to_string(i)}, {"direction", "up"}, {"nearer", "rc"}, {"farther", "gpu" + std::to_string(i)}});
  const auto svg = topology_svg(results);
  EXPECT_TRUE(svg.starts_with("<div class=\"scroll\""));
  EXPECT_NE(svg.find("max-width:532px"), std::string::npos) << svg.substr(0, 200);
}

TEST(Topology, TheWayOfEachTrafficIsDrawnAndNamed) {
  const auto svg = topology_svg(Json::parse(sample_results));
  EXPECT_EQ(occurrences(svg, "<polyline class=\"flow flow0\""), 2u);  // nic0 -> sw0 -> gpu0
  EXPECT_NE(svg.find("rx</span>"), std::string::npos);
}

struct Box {
  double x, y, width, height;
  bool overlaps(const Box& o) const {
    return x < o.x + o.width && o.x < x + width && y < o.y + o.height && o.y < y + height;
  }
  bool holds(const Box& o) const {
    return x <= o.x && y <= o.y && o.x + o.width <= x + width && o.y + o.height <= y + height;
  }
};

/// The rectangles of a class; "" of devices, which have none.
std::vector<Box> boxes(const std::string& svg, const std::string& of_class) {
  const std::regex rect{"<rect " + (of_class.empty() ? "" : "class=\"" + of_class + "\" ") +
                        "x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\""};
  std::vector<Box> found;
  for (std::sregex_iterator i{svg.begin(), svg.end(), rect}, end; i != end; ++i)
    found.push_back({std::stod((*i)[1]), std::stod((*i)[2]), std::stod((*i)[3]), std::stod((*i)[4])});
  return found;
}

/// `sockets` roots of one host, each joined to the one before it, with eight devices below two switches each.
void add_host(Json& results, const std::string& host, int sockets) {
  const auto add = [&](const std::string& nearer, const std::string& farther, const char* shape) {
    results["ledger"].push_back({{"link", host + farther + "-" + host + nearer},
                                 {"direction", "up"},
                                 {"nearer", host + nearer},
                                 {"farther", host + farther},
                                 {"shape", shape}});
  };
  for (int socket = 0; socket < sockets; ++socket) {
    const auto root = "rc" + std::to_string(socket);
    if (socket > 0) add(socket == 2 ? "rc0" : "rc" + std::to_string(socket - 1), root, "inter-socket 1024Gbps");
    add(root, "dram" + std::to_string(socket), "internal");
    for (int i = 0; i < 2; ++i) {
      const auto bridge = "sw" + std::to_string(2 * socket + i);
      add(root, bridge, "Gen4 x16");
      for (const char* device : {"nic_a", "nic_b", "gpu_a", "gpu_b"}) add(bridge, device + bridge, "Gen4 x16");
    }
  }
}

void expect_orderly(const std::string& svg, std::size_t devices, std::size_t sockets, std::size_t hosts) {
  const auto all = boxes(svg, ""), parts = boxes(svg, "socket"), machines = boxes(svg, "host");
  EXPECT_EQ(all.size(), devices);
  EXPECT_EQ(parts.size(), sockets);
  EXPECT_EQ(machines.size(), hosts);
  for (const auto& group : {all, parts, machines})
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(group[i].overlaps(group[j])) << i << " " << j;
  for (const auto& box : all) {
    const auto holds = [&](const Box& outer) { return outer.holds(box); };
    EXPECT_LE(std::ranges::count_if(parts, holds), 1);
    EXPECT_EQ(std::ranges::count_if(machines, holds), hosts > 0 ? 1 : 0);
    EXPECT_TRUE(std::ranges::any_of(parts, holds) || std::ranges::any_of(machines, holds));
  }
}

TEST(Topology, SocketsAreBoxesThatFitOnThePage) {
  auto results = Json::object({{"ledger", Json::array()}});
  add_host(results, "", 2);
  const auto svg = topology_svg(results);
  expect_orderly(svg, 24, 2, 0);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"load"), 2u * 23);
  EXPECT_NE(svg.find(">inter-socket 1024Gbps</text>"), std::string::npos);
  EXPECT_NE(svg.find("max-width:8"), std::string::npos) << "the page is 1060 px wide: " << svg.substr(0, 200);
}

TEST(Topology, ThreeSocketsOfWhichTwoAreJoinedToTheFirst) {
  auto results = Json::object({{"ledger", Json::array()}});
  add_host(results, "", 3);
  expect_orderly(topology_svg(results), 36, 3, 0);
}

TEST(Topology, HostsAreBoxesThatCablesJoin) {
  auto results = Json::object({{"ledger", Json::array()}});
  add_host(results, "n[0].", 1);
  add_host(results, "n[1].", 2);
  results["scenario"]["cables"] = {{{"from", "n[0].nic_asw0"}, {"to", "n[1].nic_asw0"}, {"rate", "200Gbps"}},
                                   {{"from", "n[0].nic_bsw0"}, {"to", "n[1].nic_bsw3"}}};
  const auto svg = topology_svg(results);
  expect_orderly(svg, 36, 2, 2);
  EXPECT_EQ(occurrences(svg, "class=\"cable\""), 2u);
  EXPECT_NE(svg.find(">cable, 200Gbps</text>"), std::string::npos);
  EXPECT_NE(svg.find(">n[1]</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">n[1].rc0</text>"), std::string::npos) << "the box has the host's name";
}

TEST(Topology, NothingToDraw) { EXPECT_EQ(topology_svg(Json::object()), ""); }

TEST(Topology, ALoopDoesNotHang) {
  const auto results = Json::parse(R"({"ledger": [
    {"link": "a-b", "direction": "up", "nearer": "b", "farther": "a"},
    {"link": "b-a", "direction": "up", "nearer": "a", "farther": "b"},
    {"link": "a-r", "direction": "up", "nearer": "r", "farther": "a"}]})");
  EXPECT_FALSE(topology_svg(results).empty());
}

}  // namespace
}  // namespace peerpath::report
