#include "scenario/hosts.hpp"

#include <gtest/gtest.h>

#include "peerpath/scenario/describe.hpp"
#include "scenario/test_files.hpp"
#include "scenario/tree.hpp"

namespace peerpath::scenario {
namespace {

constexpr const char* two_hosts = R"({
  "hosts": {
    "n": {
      "count": 2,
      "devices": {
        "rc": {"kind": "root_complex"},
        "dram": {"kind": "host_memory"},
        "cpu": {"kind": "host_cpu"},
        "sw": {"kind": "pcie_switch"},
        "nic": {"kind": "nic", "queues": 4},
        "gpu": {"kind": "gpu"}
      },
      "links": [
        {"from": "rc", "to": "sw.up0"},
        {"from": "sw.down1", "to": "nic"},
        {"from": "sw.down2", "to": "gpu"}
      ]
    }
  },
  "devices": {"n[1].nic": {"queues": 8}},
  "cables": [{"from": "n[0].nic", "to": "n[1].nic"}],
  "traffic": [
    {"name": "tx", "kind": "transmit", "from": "n[0].nic", "to": "n[0].gpu", "sizes": ["4KiB", "20KiB"], "flows": 8},
    {"name": "rx", "kind": "receive", "from": "n[1].nic", "to": "n[1].gpu", "sender": "tx"}
  ],
  "expect": [{"metric": "n[1].gpu-n[1].sw.down.payload_gbps", "at_least": 1}, {"metric": "n[0].nic.interrupts", "at_least": 0}]
})";

const Device& device(const Scenario& s, const std::string& name) {
  return *std::ranges::find(s.devices, name, &Device::name);
}

Loaded loaded(std::vector<std::string> overrides = {}) {
  auto options = in_memory({});
  options.overrides = std::move(overrides);
  auto result = load_text(two_hosts, "two.json", options);
  EXPECT_TRUE(result) << (result ? "" : lines_of(result.error()));
  return result.value_or(Loaded{});
}

TEST(Names, BeginWithTheHost) {
  EXPECT_EQ(device_of("sw.port2"), "sw");
  EXPECT_EQ(device_of("n[1].sw.port2"), "n[1].sw");
  EXPECT_EQ(split_end("n[1].sw.port2").port, "port2");
  EXPECT_EQ(split_end("n[12].gpu").device, "n[12].gpu");
  EXPECT_EQ(device_of("n[1].gpu-n[1].sw.up.tlps"), "n[1].gpu-n[1].sw");
  EXPECT_EQ(host_of("n[12].gpu"), "n[12]");
  EXPECT_EQ(host_of("gpu"), "");
  EXPECT_EQ(own_name("n[1].gpu"), "gpu");
  for (const auto* wrong : {"n[].gpu", "n[x].gpu", "[1].gpu", "n[1]gpu"}) EXPECT_EQ(own_name(wrong), wrong);
}

TEST(Hosts, BecomeDevicesAndLinksOfTheirOwn) {
  const auto s = loaded().scenario;
  EXPECT_EQ(s.devices.size(), 12U);
  EXPECT_EQ(s.links.size(), 6U);
  EXPECT_EQ(s.links[4].from, "n[1].sw.down1");
  EXPECT_EQ(s.links[4].to, "n[1].nic");
  EXPECT_EQ(std::get<device::HostMemoryConfig>(device(s, "n[1].dram").config).at, "n[1].rc");
  EXPECT_EQ(s.traffic[1].as<traffic::Network>()->headers_to, "n[1].dram");
}

TEST(Hosts, AreChangedOneByOne) {
  const auto queues = [](const Loaded& l, const std::string& nic) {
    return std::get<device::NicConfig>(device(l.scenario, nic).config).queues;
  };
  EXPECT_EQ(queues(loaded(), "n[0].nic"), 4);
  EXPECT_EQ(queues(loaded(), "n[1].nic"), 8);
  const auto set =
      loaded({"devices.n[0].nic.queues=2", "hosts.n.devices.gpu.copy_engines=3", "links.n[1].gpu.width=8"});
  EXPECT_EQ(queues(set, "n[0].nic"), 2);
  EXPECT_EQ(std::get<device::GpuConfig>(device(set.scenario, "n[1].gpu").config).copy_engines, 3);
  EXPECT_EQ(set.scenario.links[5].width, 8);
  EXPECT_EQ(set.scenario.links[2].width, 16);
}

TEST(Hosts, KeepThePlaceOfEveryValue) {
  const auto l = loaded();
  EXPECT_EQ(to_string(l.origins.at("/devices/n[0].nic/queues")), "two.json:10:42");
  EXPECT_EQ(to_string(l.origins.at("/devices/n[1].nic/queues")), "two.json:20:38");
  EXPECT_EQ(to_string(l.origins.at("/links/4/from")), "two.json:15:18");
}

TEST(Hosts, LoadBackFromWhatTheyBecame) {
  const auto s = loaded().scenario;
  const auto again = load_text(to_json(s), "two.json", in_memory({}));
  ASSERT_TRUE(again) << lines_of(again.error());
  EXPECT_EQ(to_json(again->scenario), to_json(s));
}

TEST(Sender, SaysWhatTheReceiverGets) {
  const auto s = loaded().scenario;
  EXPECT_EQ(s.traffic[1].flows, 8);
  EXPECT_EQ(s.traffic[1].sizes, (std::vector{Bytes{8948}, Bytes{4096}, Bytes{20480 - 2 * 8948}}));
}

}  // namespace
}  // namespace peerpath::scenario
