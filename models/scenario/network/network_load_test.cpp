#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "scenario/network/describe.hpp"
#include "scenario/network/load.hpp"
#include "scenario/network/message_sizes.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/write.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_scenario {
namespace {

using scenario::in_memory;
using scenario::lines_of;
using testing::HasSubstr;

constexpr const char* good = R"({
  "network": { "clos": { "racks": 2, "hosts": 2, "spines": 2 } },
  "rdma": [{ "name": "write", "from": "h0", "to": "h3" }],
  "run": { "measure": "1ms" }
})";

std::string said(const std::string& text, std::vector<std::string> overrides = {}) {
  auto options = in_memory({});
  options.overrides = std::move(overrides);
  const auto loaded = network_scenario::load_text(text, "wrong.json", options);
  return !loaded ? "no network scenario" : *loaded ? "" : lines_of(loaded->error());
}

TEST(NetworkLoad, WhatHasNoNetworkIsLeftToOthers) {
  EXPECT_EQ(said(R"({"devices": {}})"), "no network scenario");
  EXPECT_EQ(said("{"), "no network scenario");
  EXPECT_EQ(said(good), "");
}

TEST(NetworkLoad, MistakesHavePlaceAndSpelling) {
  EXPECT_THAT(said(R"({"network": {"close": {}}})"),
              HasSubstr(R"(wrong.json:1:14: /network/close: unknown key; did you mean "clos"?)"));
  EXPECT_THAT(said(R"({"netwrok": {}, "rdma": []})"), HasSubstr(R"(did you mean "network"?)"));
  EXPECT_THAT(said(R"({"network": {"clos": {"cables": {"host_rate": 400}}}})"), HasSubstr("has no unit"));
  EXPECT_THAT(said(R"({"network": {"clos": {}}, "rdma": [{"from": "h0", "to": "h999"}]})"),
              HasSubstr(R"(/rdma/0/to: there is no host "h999")"));
  EXPECT_THAT(said(R"({"network": {"hosts": ["h0..h999999"]}})"), HasSubstr("are more than 100000"));
  EXPECT_THAT(said(R"({"network": {"clos": {}}, "rdma": [{"name": "w", "from": "h0", "to": "h1"}],
                       "expect": [{"metric": "w.goodput_gps", "at_least": 1}]})"),
              HasSubstr(R"(did you mean "w.goodput_gbps"?)"));
}

TEST(NetworkLoad, TheCommandLineChangesValues) {
  auto options = in_memory({});
  options.overrides = {"run.seed=7", "rdma.write.size=1MiB", "network.clos.racks=3"};
  const auto loaded = network_scenario::load_text(good, "scenarios/roce/mine.json", options);
  ASSERT_TRUE(loaded && *loaded);
  const auto& s = (*loaded)->scenario;
  EXPECT_EQ(s.name, "roce/mine");
  EXPECT_EQ(s.run.seed, 7);
  EXPECT_EQ(s.rdma[0].size, 1_MiB);
  EXPECT_EQ((*loaded)->graph.hosts.size(), 6U);
  EXPECT_EQ(to_string((*loaded)->origins.at("/run/seed")), "--set");
  EXPECT_EQ(to_string((*loaded)->origins.at("/run/measure")), "mine.json:4:23");
  EXPECT_EQ(to_string((*loaded)->origins.at("/nics/mtu")), "default");
  EXPECT_THAT(said(good, {"rdma.wirte.size=1MiB"}), HasSubstr(R"(did you mean "write"?)"));
}

TEST(NetworkLoad, AWarningMayBeExpected) {
  const auto with = [](const std::string& expect) {
    return R"({"network": {"clos": {}}, "rdma": [{"name": "w", "from": "h0", "to": "h1"}], "expect": [)" + expect +
           "]}";
  };
  EXPECT_EQ(said(with(R"({"metric": "warning", "is": "w.goodput_gbps"})")), "");
  EXPECT_THAT(said(with(R"({"metric": "warning"})")), HasSubstr(R"(has no bound; add "is")"));
  EXPECT_THAT(said(with(R"({"metric": "w.goodput_gbps", "is": "12"})")), HasSubstr("/expect/0/is: is only allowed"));
}

TEST(NetworkLoad, MistakesOfNodesAreNamed) {
  const auto with = [](const std::string& nodes) {
    return R"({"network": {"clos": {}}, "rdma": [{"name": "w", "from": "h0", "to": "h1"}], "nodes": )" + nodes + "}";
  };
  EXPECT_THAT(said(with(R"([{"hosts": "h0"}])")), HasSubstr("/nodes/0/scenario: is missing"));
  EXPECT_THAT(said(with(R"([{"hosts": "h0", "scenario": "no.json"}])")), HasSubstr(R"(there is no file "no.json")"));
  EXPECT_THAT(said(with(R"([{"hosts": "h0..h1", "scenario": "a"}, {"hosts": "h1", "scenario": "a"}])")),
              HasSubstr(R"("h1" is in another entry)"));
  EXPECT_THAT(said(with(R"([{"hosts": "h0", "scenario": "a", "level": "tpl"}])")), HasSubstr(R"(did you mean "tlp"?)"));
  auto options = in_memory({{"a.json", R"({"devices": {"rc": {"kind": "root_complex"}}, "traffic": []})"}});
  const auto loaded =
      network_scenario::load_text(with(R"([{"hosts": "h0", "scenario": "a.json"}])"), "wrong.json", options);
  ASSERT_TRUE(loaded && !*loaded);
  EXPECT_THAT(lines_of(loaded->error()), HasSubstr("a.json"));
}

TEST(NetworkLoad, MistakesOfDatagramsAndOfLoadsAreNamed) {
  const auto with = [](const std::string& rdma) {
    return R"({"network": {"clos": {}}, "rdma": [{"name": "w", "from": "h0..h3", "to": "h1", )" + rdma + "}]}";
  };
  EXPECT_THAT(said(with(R"("transport": "UD")")),
              HasSubstr(R"(/rdma/0/operation: must be "send" with transport "UD")"));
  EXPECT_THAT(said(with(R"("transport": "UC")")), HasSubstr("UC"));
  EXPECT_THAT(said(with(R"("transport": "UD", "operation": "send")")),
              HasSubstr("/rdma/0/size: must be at most nics.mtu with transport"));
  EXPECT_EQ(said(with(R"("transport": "UD", "operation": "send", "size": "4KiB", "receives": 8)")), "");
  EXPECT_THAT(said(with(R"("priority": 5)")), HasSubstr("/rdma/0/priority: "));
  EXPECT_THAT(said(with(R"("transport": "UD", "operation": "send", "size": "4KiB", "priority": 4)")),
              HasSubstr(R"(/rdma/0/priority: requires transport "RC")"));
  EXPECT_THAT(said(with(R"("receives": 8)")), HasSubstr(R"(/rdma/0/receives: requires transport "UD")"));
  EXPECT_THAT(said(with(R"("sizes": "web_search")")), HasSubstr("/rdma/0/sizes: needs a load"));
  EXPECT_THAT(said(with(R"("sizes": "web_search", "load": 50)")), HasSubstr(R"(names "h1" only, which also sends)"));
  EXPECT_THAT(said(R"({"network": {"clos": {}}, "rdma": [{"from": "h1", "to": ["h1", "h1"], "load": 5}]})"),
              HasSubstr(R"(names "h1" only, which also sends)"));
  EXPECT_THAT(said(with(R"("load": 50, "operation": "read")")), HasSubstr("a write or a send"));
  EXPECT_THAT(said(with(R"("load": 50, "size": "1B")"), {"run.measure=1s"}), HasSubstr("more than 1000000 messages"));
}

TEST(NetworkLoad, SizesOfMessagesAreThoseOfTheirDistribution) {
  EXPECT_EQ(mean_size(Sizes::fixed, 5_B), 5_B);
  Random random{1, "sizes"};
  constexpr int draws = 200'000;
  double sum = 0;
  int small = 0;
  for (int i = 0; i < draws; ++i) {
    const auto size = draw_size(Sizes::web_search, 5_B, random);
    ASSERT_GE(size, 1_B);
    ASSERT_LE(size.count(), 30'000'000);
    sum += static_cast<double>(size.count());
    small += size.count() <= 80'000 ? 1 : 0;
  }
  EXPECT_NEAR(sum / draws, static_cast<double>(mean_size(Sizes::web_search, 5_B).count()), 20'000);
  EXPECT_NEAR(static_cast<double>(small) / draws, 0.53, 0.005);
}

TEST(NetworkLoad, MistakesOfTcpAreNamed) {
  const auto with = [](const std::string& rest) { return R"({"network": {"clos": {}}, )" + rest + "}"; };
  EXPECT_THAT(said(with(R"("tcp": [{"from": "h0", "to": "h1", "conections": 2}])")),
              HasSubstr(R"(did you mean "connections"?)"));
  EXPECT_THAT(said(with(R"("tcp": [{"from": "h0", "to": "h1"}], "rdma": [{"from": "h0", "to": "h1"}])")),
              HasSubstr("one transport"));
  EXPECT_THAT(said(with(R"("tcp": [{"from": "h0", "to": "h1", "consumer": {"return_every": "4MiB"}}])")),
              HasSubstr("/tcp/0/consumer/return_every: is more than half of the memory"));
  EXPECT_THAT(said(with(R"("tcp_hosts": {"pause_above": "3MB"}, "tcp": [{"from": "h0", "to": "h1"}])")),
              HasSubstr("/tcp_hosts/pause_above: is above nic_buffer"));
  EXPECT_THAT(said(with(R"("tcp_stack": {"congestion": "cubik"}, "tcp": [{"from": "h0", "to": "h1"}])")),
              HasSubstr(R"(did you mean "cubic"?)"));
  EXPECT_EQ(said(with(R"("tcp": [{"name": "t", "from": "h0", "to": "h1"}],
                         "expect": [{"metric": "t.goodput_gbps", "at_least": 1}])")),
            "");
}

/// Two hosts with cables of that delay, and what else.
std::string two_hosts(const std::string& delay, const std::string& rest) {
  return R"({"network": {"hosts": ["h0..h1"], "switches": ["s"],
                         "cables": [{"from": "h0..h1", "to": "s", "rate": "200Gbps", "delay": ")" +
         delay + R"("}]}, )" + rest + "}";
}

TEST(NetworkLoad, KeysThatAnotherOneOverridesAreRefused) {
  const auto with = [](const std::string& keys) {
    return said(two_hosts("250ns", R"("rdma": [{ "from": "h0", "to": "h1", )" + keys + " }]"));
  };
  EXPECT_THAT(with(R"("load": 50, "messages": 10)"), HasSubstr("/rdma/0/messages: has no effect with \"load\""));
  EXPECT_THAT(with(R"("load": 50, "qps": 2)"), HasSubstr("/rdma/0/qps: has no effect with \"load\""));
  EXPECT_THAT(with(R"("load": 50, "outstanding": 2)"), HasSubstr("/rdma/0/outstanding: has no effect with \"load\""));
  EXPECT_THAT(with(R"("interval": "1us", "outstanding": 2)"),
              HasSubstr("/rdma/0/outstanding: has no effect with \"interval\""));
  for (const auto* other : {R"("load": 50)", R"("interval": "1us")", R"("transport": "UD", "operation": "send")"})
    EXPECT_THAT(with(R"("size": "1KiB", "registered": "1MiB", )" + std::string{other}),
                HasSubstr("/rdma/0/registered: has no effect"));
  EXPECT_EQ(with(R"("load": 50, "messages": 0, "qps": 1, "outstanding": 16)"), "") << "a resolved scenario says so";
  EXPECT_EQ(with(R"("interval": "1us", "messages": 10)"), "");
}

TEST(NetworkLoad, AListThatIsEmptyButUsuallyIsNotIsWritten) {
  const auto text = two_hosts("250ns", R"("switches": {"lossless": []}, "rdma": [{"from": "h0", "to": "h1"}])");
  const auto loaded = network_scenario::load_text(text, "test.json", in_memory({}));
  ASSERT_TRUE(loaded && *loaded);
  const auto written_again = written((*loaded)->scenario);
  EXPECT_EQ(written_again["switches"]["lossless"], nlohmann::ordered_json::array());
  EXPECT_FALSE(written_again["switches"].contains("weights"));
}

TEST(NetworkLoad, AReadOfAnApplicationEndsInATimeThatTheRunCanHold) {
  const auto with = [](const std::string& consumer) {
    return said(two_hosts("250ns", R"("tcp": [{"from": "h0", "to": "h1", "consumer": {)" + consumer + "}}]"));
  };
  EXPECT_THAT(
      with(R"("rate": "1bps")"),
      HasSubstr("/tcp/0/consumer/rate: 1bps is too slow for reads of 1MiB, each of which must end within 200 s; the "
                "minimum is 41944bps"));
  EXPECT_EQ(with(R"("rate": "41944bps")"), "");
  EXPECT_EQ(with(R"("rate": "1bps", "read_size": "25B")"), "");
  EXPECT_THAT(said(two_hosts("250ns", R"("tcp": [{"from": "h0", "to": "h1", "keep_at": "10us"}])")),
              HasSubstr("/tcp/0/keep_at: has no effect without \"keep_for\""));
}

TEST(NetworkLoad, SectionsThatNoTrafficUsesAreRefused) {
  const std::string rdma = R"("rdma": [{"from": "h0", "to": "h1"}])", tcp = R"("tcp": [{"from": "h0", "to": "h1"}])";
  EXPECT_THAT(said(two_hosts("250ns", tcp + R"(, "nics": {"window": 16})")),
              HasSubstr("/nics/window: has no effect in a scenario without \"rdma\""));
  EXPECT_THAT(said(two_hosts("250ns", rdma + R"(, "tcp_stack": {"mtu": 9000})")),
              HasSubstr("/tcp_stack/mtu: has no effect in a scenario without \"tcp\""));
  EXPECT_THAT(said(two_hosts("250ns", rdma + R"(, "tcp_hosts": {"one_core": true})")),
              HasSubstr("/tcp_hosts/one_core: has no effect in a scenario without \"tcp\""));
  EXPECT_THAT(said(two_hosts("250ns", rdma + R"(, "servers": {"gpus": 2})")),
              HasSubstr("/servers/gpus: has no effect"));
  EXPECT_EQ(said(two_hosts("250ns", tcp + R"(, "nics": {"window": 4096})")), "") << "a resolved scenario says so";
  EXPECT_EQ(said(two_hosts("250ns", rdma + R"(, "tcp_stack": {"mtu": 1500}, "nics": {"window": 16})")), "");
}

TEST(NetworkLoad, HeadroomOfPfcFitsTheBuffer) {
  // 2 * 600 us at 25 GB/s are 30 MB at each of two ports, more than 32 MB.
  const std::string rdma = R"("rdma": [{"from": "h0", "to": "h1"}])", tcp = R"("tcp": [{"from": "h0", "to": "h1"}])";
  EXPECT_EQ(said(two_hosts("10us", rdma)), "");
  const auto refused = said(two_hosts("600us", rdma));
  EXPECT_THAT(refused, HasSubstr("/switches/buffer: PFC headroom"));
  EXPECT_THAT(refused, HasSubstr("set switches.buffer to at least 60"));
  EXPECT_EQ(said(two_hosts("600us", rdma), {"switches.buffer=61MB"}), "");
  EXPECT_EQ(said(two_hosts("600us", rdma), {"switches.lossless=[]"}), "");
  // TCP has priority 0, where nothing is lossless unless the scenario says so.
  EXPECT_EQ(said(two_hosts("600us", tcp)), "");
  EXPECT_THAT(said(two_hosts("600us", tcp), {"switches.lossless=[0]"}), HasSubstr("switches.buffer: PFC headroom"));
  EXPECT_THAT(said(two_hosts("1us", rdma), {"switches.headroom=20MB"}), HasSubstr("switches.headroom: PFC headroom"));
  EXPECT_THAT(said(two_hosts("1us", rdma), {"switches.headroom=8388607TiB"}),
              HasSubstr("switches.headroom: 8388607TiB is above"));
}

TEST(NetworkLoad, AServerOfRailsHasAGpuForEachNic) {
  const auto with = [](int gpus) {
    return R"({"network": {"rail_optimised": {"servers": 4, "rails": 2, "spines": 1}}, "servers": {"gpus": )" +
           std::to_string(gpus) + R"(}, "collectives": [{"hosts": "h0..h7", "hierarchical": true}]})";
  };
  EXPECT_EQ(said(with(2)), "");
  EXPECT_THAT(said(with(4)), HasSubstr("/servers/gpus: a server of network.rail_optimised has 2 hosts"));
  EXPECT_THAT(said(with(4)), HasSubstr("set servers.gpus to 2"));
}

std::string said_of_collective(const std::string& entry, const std::string& servers = R"("gpus": 4)") {
  return said(R"({ "network": { "clos": { "racks": 2, "hosts": 8, "spines": 2 } }, "servers": { )" + servers +
              R"( }, "collectives": [{ "name": "c", )" + entry + " }] }");
}

TEST(NetworkLoad, HugeSizesOfCollectivesAreRefusedWithoutOverflow) {
  EXPECT_THAT(said_of_collective(R"("hosts": "h0..h3", "buffers": {"size": "8388607TiB"})"),
              HasSubstr("/collectives/0/buffers/size: "));
  EXPECT_THAT(
      said_of_collective(R"("kind": "all_to_all", "hosts": "h0..h1", "sizes": ["1B", "8388607TiB", "1B", "1B"])"),
      HasSubstr("/collectives/0/sizes: has a value above 2 GiB"));
}

TEST(NetworkLoad, CollectivesSayWhatTheyAre) {
  EXPECT_EQ(said_of_collective(R"("hosts": "h0..h15", "hierarchical": true, "algorithm": "tree", "buffers": {})"), "");
  EXPECT_EQ(said_of_collective(R"("hosts": "h4..h11", "hierarchical": true, "kind": "all_to_all", "token": "8KiB")"),
            "");
  EXPECT_EQ(said_of_collective(R"("hosts": "h0..h1", "kind": "all_to_all", "sizes": ["0B", "1MB", "2MB", "0B"])"), "");
  EXPECT_EQ(said_of_collective(R"("hosts": "h0..h6", "kind": "gather", "root": 6, "protocol": "LL128")"), "");
  const std::string hosts = R"("hosts": "h0..h15", )";
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "gatter")"), HasSubstr(R"(did you mean "gather"?)"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "gather", "window": 8)"), HasSubstr("/window: has no effect"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "gather", "slices": 2)"), HasSubstr("/slices: has no effect"));
  EXPECT_THAT(said_of_collective(hosts + R"("slices": 2, "buffers": {})"), HasSubstr("/slices: has no effect"));
  EXPECT_THAT(said_of_collective(
                  R"("hosts": "h0..h1", "kind": "all_to_all", "bytes": "1MB", "sizes": ["0B", "1B", "1B", "0B"])"),
              HasSubstr("/bytes: has no effect"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "scatter", "rings": 2)"),
              HasSubstr("wrong.json:1:172: /collectives/0/rings: require all_reduce"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "all_gather", "algorithm": "tree")"),
              HasSubstr("algorithm: tree is for all_reduce"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "reduce", "hierarchical": true)"),
              HasSubstr("hierarchical: hierarchical are"));
  EXPECT_THAT(said_of_collective(hosts + R"("hierarchical": true)", R"("gpus": 1)"),
              HasSubstr(R"(requires "servers")"));
  EXPECT_THAT(said_of_collective(R"("hosts": "h1..h8", "hierarchical": true)"), HasSubstr("no whole servers of 4"));
  EXPECT_THAT(said_of_collective(hosts + R"("root": 1)"), HasSubstr("/root: requires broadcast"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "reduce", "root": 16)"), HasSubstr("/root: there are 16 hosts"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "all_to_all", "sizes": ["1MB"])"),
              HasSubstr("/sizes: are 1, and 16 hosts need 256"));
  EXPECT_THAT(said_of_collective(hosts + R"("sizes": ["1MB"])"), HasSubstr("/sizes: requires all_to_all"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "all_to_all", "skew": 1)"), HasSubstr("/skew: needs a token"));
  EXPECT_THAT(said_of_collective(hosts + R"("buffers": { "chunk_steps": 9 })"),
              HasSubstr("/buffers/chunk_steps: must be a multiple of slice_steps"));
  EXPECT_THAT(said_of_collective(hosts + R"("buffers": { "size": "4KiB" }, "bytes": "8GiB")"),
              HasSubstr("/buffers/size: makes more than"));
  EXPECT_THAT(said_of_collective(hosts + R"("buffers": {}, "clear_to_send": 2)"),
              HasSubstr("/clear_to_send: cannot be combined with"));
  EXPECT_THAT(said_of_collective(hosts + R"("kind": "broadcast", "bytes": "4GiB")"), HasSubstr("more than 2 GiB"));
  EXPECT_THAT(said_of_collective(R"("hosts": "h0..h15")", R"("gpus": 5)"),
              HasSubstr("/servers/gpus: 16 hosts cannot be divided into servers"));
}

/// What is said of a scenario with these traces of four hosts, beside files a0.json, a1.json and so on.
std::string said_of_trace(const std::string& entry, std::map<std::string, std::string> files) {
  const auto loaded = network_scenario::load_text(R"({ "network": { "clos": { "racks": 2, "hosts": 2, "spines": 1 } },
                                     "traces": [)" + entry +
                                                      "] }",
                                                  "dir/test.json", scenario::in_memory(std::move(files)));
  EXPECT_TRUE(loaded.has_value());
  return loaded && *loaded ? "" : lines_of(loaded->error());
}

TEST(NetworkLoad, TracesAreFilesOfTheirRanks) {
  const std::string idle = "{ \"nodes\": [] }", computes = R"({ "nodes": [{ "id": 1, "type": "COMP_NODE" }] })";
  const std::string waits = R"({ "nodes": [{ "id": 1, "type": "COMP_NODE", "data_deps": [2] }] })";
  const std::string two = R"({ "name": "t", "file": "a{rank}.json", "hosts": "h0..h1" })";
  EXPECT_EQ(said_of_trace(two, {{"dir/a0.json", idle}, {"dir/a1.json", computes}}), "");
  EXPECT_EQ(said_of_trace(R"({ "file": "a.json", "hosts": "h0..h3" })", {{"dir/a.json", computes}}), "");
  EXPECT_EQ(said_of_trace(two, {{"dir/a0.json", idle}}), "dir/a1.json: there is no such file, for rank 1 of 2\n");
  EXPECT_EQ(said_of_trace(two, {{"dir/a0.json", idle}, {"dir/a1.json", waits}}),
            "dir/a1.json:1:13: node 1: waits for node 2, which this rank does not have\n");
  EXPECT_EQ(said_of_trace(two, {{"dir/a0.json", idle}, {"dir/a1.json", "{ \"node\": [] }"}})
                .find("dir/a1.json:1:3: /node: unknown key"),
            0u);
  EXPECT_THAT(said_of_trace(R"({ "file": "a{ranks}.et", "hosts": "h0" })", {}),
              HasSubstr("/traces/0/file: \"a{ranks}.et\" has no {rank}"));
  EXPECT_THAT(said_of_trace(R"({ "hosts": "h0" })", {}), HasSubstr("/traces/0/file: is missing"));
  EXPECT_THAT(said_of_trace(R"({ "file": "a.json", "hosts": "h9" })", {}),
              HasSubstr("/traces/0/hosts: there is no host \"h9\""));
  const std::string large = R"({ "nodes": [{ "id": 1, "type": "COMM_COLL_NODE", "comm_size": 1000000000 }] })";
  EXPECT_EQ(said_of_trace(R"({ "file": "a.json", "hosts": "h0..h3" })", {{"dir/a.json", large}}), "");
}

TEST(NetworkLoad, ShippedScenariosAreRightAndWrittenTheyMeanTheSame) {
  int n = 0;
  for (const auto* folder : {"roce", "meta_roce", "tcp"})
    for (const auto& entry : std::filesystem::directory_iterator{scenario::shipped_scenarios() / folder}) {
      scenario::LoadOptions options;
      options.search = {scenario::shipped_scenarios()};
      const auto loaded = network_scenario::load(entry.path(), options);
      ASSERT_TRUE(loaded.has_value()) << entry.path();
      ASSERT_TRUE(loaded->has_value()) << lines_of(loaded->error());
      const auto& s = (*loaded)->scenario;
      EXPECT_FALSE(s.description.empty()) << entry.path();
      EXPECT_FALSE(s.expect.empty()) << entry.path();
      const auto text = written(s).dump();
      const auto again = network_scenario::load_text(text, entry.path().parent_path() / "again.json", options);
      ASSERT_TRUE(again && *again) << entry.path();
      EXPECT_EQ(written((*again)->scenario).dump(), text);
      ++n;
    }
  EXPECT_GT(n, 10);
}

TEST(NetworkDescribe, KnowsOptionsAndMetrics) {
  EXPECT_THAT(scenario::explain_among(topics(), "network.clos.racks").value_or(""),
              HasSubstr("Number of racks per cluster"));
  EXPECT_THAT(scenario::explain_among(topics(), "network.cables.rate").value_or(""), HasSubstr("default 400Gbps"));
  EXPECT_THAT(scenario::explain_among(topics(), "convergence").value_or(""), HasSubstr("switches.convergence"));
  EXPECT_FALSE(scenario::explain_among(topics(), "convergance").has_value());
  EXPECT_EQ(scenario::nearest_among(topics(), "convergance"), "convergence");
  EXPECT_THAT(explain_metric("network.pauses").value_or(""), HasSubstr("PFC"));
  EXPECT_THAT(explain_metric("all_reduce.time_us").value_or(""), HasSubstr("<collective>.time_us: us"));
  EXPECT_FALSE(explain_metric("network.puases").has_value());
}

TEST(NetworkDescribe, TheSchemaHasEveryBlock) {
  const auto schema = nlohmann::json::parse(schema_json());
  const auto& properties = schema["properties"];
  EXPECT_EQ(properties["nics"]["properties"]["mtu"]["maximum"], 4096);
  EXPECT_EQ(properties["network"]["properties"]["cables"]["items"]["properties"]["count"]["minimum"], 1);
  EXPECT_EQ(properties["rdma"]["items"]["properties"]["outstanding"]["default"], 16);
}

}  // namespace
}  // namespace peerpath::network_scenario
