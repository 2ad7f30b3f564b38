#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "peerpath/base/temporary_folder.hpp"
#include "platform/network/test_runs.hpp"

namespace peerpath::network_run {
namespace {

using observe::Verdict;

constexpr const char* two_hosts = R"({
  "network": { "hosts": ["h0", "h1"], "switches": ["s"], "cables": [{ "from": "h0..h1", "to": "s", "rate": "100Gbps" }] },
  "rdma": [{ "name": "w", "from": "h0", "to": "h1", "outstanding": 32 }],
  "run": { "warmup": "100us", "measure": "1ms" },
  "expect": [{ "metric": "w.goodput_gbps", "at_least": 90 }, { "metric": "network.dropped", "equals": 1 }]
})";

TEST(NetworkRun, GoodputIsThatOfFramesAndExpectationsAreJudged) {
  const auto outcome = run_text(two_hosts);
  // 4096 bytes of payload in a frame of 4096 + 14 + 20 + 8 + 12 + 4, with FCS, preamble and gap 24 more.
  EXPECT_NEAR(value(outcome, "w.goodput_gbps"), 100.0 * 4096 / (4096 + 58 + 24), 0.6);
  ASSERT_EQ(outcome.results.expectations.size(), 2U);
  EXPECT_EQ(outcome.results.expectations[0].verdict, Verdict::ok);
  EXPECT_EQ(outcome.results.expectations[1].verdict, Verdict::failed);
  EXPECT_TRUE(outcome.results.complete);
  EXPECT_EQ(outcome.cables.size(), 4U);
}

/// Two hosts at 200 Gb/s with one entry of rdma.
std::string pair_with(const std::string& rdma,
                      const std::string& rest = R"("run": { "warmup": "300us", "measure": "500us" })") {
  return R"({ "network": { "hosts": ["h0..h1"], "switches": ["s"],
                           "cables": [{ "from": "h0..h1", "to": "s", "rate": "200Gbps", "delay": "100ns" }] },
              "rdma": [{ "name": "w", "from": "h0", "to": "h1", )" +
         rdma + " }], " + rest + " }";
}

TEST(NetworkRun, GoodputIsPayloadOfTheWindowWhateverTheSizeOfMessages) {
  constexpr double most = 200.0 * 4096 / (4096 + 82);
  for (const auto* operation : {"write", "send", "read"})
    for (const auto* level : {"packets", "flows"}) {
      const auto text =
          pair_with(R"("size": "32MiB", "outstanding": 2, "operation": ")" + std::string{operation} + "\"",
                    R"("run": { "warmup": "300us", "measure": "500us", "level": ")" + std::string{level} + R"(" })");
      const auto outcome = run_text(text);
      EXPECT_NEAR(value(outcome, "w.goodput_gbps"), most, 0.01 * most) << operation << " " << level;
      EXPECT_LE(value(outcome, "w.goodput_gbps"), most + 0.1) << operation << " " << level;
      EXPECT_EQ(value(outcome, "w.messages"), 0);
    }
}

TEST(NetworkRun, AnIncastWhoseMessagesDoNotEndShowsWhatItsPortCarries) {
  const auto outcome = run_text(R"({ "network": { "hosts": ["h0..h32"], "switches": ["s"],
                             "cables": [{ "from": "h0..h32", "to": "s", "rate": "100Gbps", "delay": "500ns" }] },
    "rdma": [{ "name": "in", "from": "h1..h32", "to": "h0", "size": "1MiB" }],
    "run": { "warmup": "100us", "measure": "300us" } })");
  EXPECT_NEAR(value(outcome, "in.goodput_gbps"), 100.0 * 4096 / (4096 + 82), 1);
}

TEST(NetworkRun, PayloadThatWaitsInTheNicOfASlowHostHasNotArrived) {
  const auto outcome = run_text(pair_with(R"("size": "64MiB", "outstanding": 1)",
                                          R"("slow_hosts": [{ "hosts": "h1", "rate": "50Gbps" }],
                                             "run": { "warmup": "1ns", "measure": "300us" })"));
  EXPECT_LE(value(outcome, "w.goodput_gbps"), 50);
  EXPECT_GT(value(outcome, "w.goodput_gbps"), 47);
}

TEST(NetworkRun, CablesAndCoresAreBusyForNoLongerThanTheWindow) {
  // A frame of 9 kB takes 72 us of 1 Gb/s, and a read of 1 MiB at 1 Gb/s 8 ms: more than the window.
  const auto outcome = run_text(R"({ "network": { "hosts": ["h0..h1"], "switches": ["s"],
                             "cables": [{ "from": "h0", "to": "s", "rate": "1Gbps" },
                                        { "from": "h1", "to": "s", "rate": "10Gbps" }] },
    "tcp_stack": { "mtu": 9000 },
    "tcp": [{ "name": "t", "from": "h0", "to": "h1", "consumer": { "rate": "1Mbps" } }],
    "run": { "warmup": "1ms", "measure": "20us" } })");
  for (const auto& cable : outcome.cables) EXPECT_LE(cable.busy_percent.value(), 100) << cable.name;
  EXPECT_EQ(outcome.cables.front().busy_percent.value(), 100);
  EXPECT_EQ(value(outcome, "t.receive_core_percent"), 100);
}

TEST(NetworkRun, SendsAreNotFasterThanAlone) {
  const auto outcome = run_text(R"({ "network": { "hosts": ["h0..h1"], "switches": ["s"],
                             "cables": [{ "from": "h0..h1", "to": "s", "rate": "1Gbps" }] },
    "rdma": [{ "name": "s", "from": "h0", "to": "h1", "operation": "send", "size": "64B", "load": 1 }],
    "run": { "warmup": "0us", "measure": "2ms" } })");
  EXPECT_GE(value(outcome, "s.slowdown_p50"), 1);  // a write has 16 B more, which take 5 % of this time
  EXPECT_LE(value(outcome, "s.slowdown_p50"), 1.02);
}

TEST(NetworkRun, AccountsOfEntriesAndCablesBalance) {
  const auto outcome = run_text(R"({ "network": { "hosts": ["h0..h3"], "switches": ["s"],
                             "cables": [{ "from": "h0..h3", "to": "s", "rate": "100Gbps", "loss": 0.01 }] },
    "switches": { "lossless": [] },
    "rdma": [{ "name": "in", "from": "h1..h3", "to": "h0", "size": "64KiB" },
             { "name": "timed", "from": "h0", "to": "h2", "size": "10000B", "interval": "2us" }],
    "run": { "warmup": "20us", "measure": "100us" } })");
  EXPECT_THAT(outcome.results.conservation, testing::IsEmpty());
  ASSERT_EQ(outcome.entries.size(), 2U);
  EXPECT_EQ(outcome.entries[1].offered, 50 * 10'000);
  EXPECT_NEAR(static_cast<double>(outcome.entries[0].arrived) * 8 / 100e3, value(outcome, "in.goodput_gbps"), 0.001);
  std::int64_t dropped = 0, at_hosts = 0;
  for (const auto& cable : outcome.cables) {
    ASSERT_TRUE(cable.account);
    const auto& a = *cable.account;
    EXPECT_EQ(a.offered + a.backlog_before, a.arrived + a.dropped + a.backlog_after) << cable.name;
    dropped += a.dropped;
    if (cable.name == "s -> h0") at_hosts = a.arrived;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_GT(at_hosts, outcome.entries[0].arrived);  // headers
}

TEST(NetworkRun, TcpOverALongCableNeedsNoHeadroomOfPfc) {
  const auto outcome = run_text(R"({ "network": { "hosts": ["h0..h1"], "switches": ["s"],
                             "cables": [{ "from": "h0..h1", "to": "s", "rate": "100Gbps", "delay": "1ms" }] },
    "tcp_stack": { "receive_buffer": "512KiB" },
    "tcp": [{ "name": "t", "from": "h0", "to": "h1" }], "run": { "warmup": "60ms", "measure": "40ms" } })");
  // A window of 512 KiB each round trip of 4 ms.
  EXPECT_NEAR(value(outcome, "t.goodput_gbps"), 1.04, 0.1);
}

TEST(NetworkRun, MessagesKeepTheRatesOfQueuePairAndNic) {
  const auto small = [](const std::string& rdma, const std::string& nics) {
    return run_text(pair_with(R"("size": "64B", "outstanding": 64, )" + rdma,
                              R"("nics": { )" + nics + R"( }, "run": { "warmup": "20us", "measure": "100us" })"));
  };
  const auto rate = [](const Outcome& outcome) { return value(outcome, "w.messages") / 100; };  // per microsecond
  EXPECT_NEAR(rate(small(R"("qps": 1)", "")), 8, 0.1);
  EXPECT_NEAR(rate(small(R"("qps": 2)", "")), 16, 0.2);
  EXPECT_NEAR(rate(small(R"("qps": 16)", R"("message_rate": 40000000)")), 40, 0.5);
  EXPECT_NEAR(rate(small(R"("qps": 1, "operation": "send", "transport": "UD")", R"("qp_message_rate": 5000000)")), 5,
              0.1);
  EXPECT_NEAR(rate(small(R"("qps": 1)", R"("qp_message_rate": 5000000, "wqe_fetch": "1us")")), 5, 0.1);
}

TEST(NetworkRun, ReadingARequestDelaysAMessageAlone) {
  const auto latency = [](const std::string& nics) {
    return value(run_text(pair_with(R"("size": "64B", "outstanding": 1)",
                                    R"("nics": { )" + nics + R"( }, "run": { "measure": "100us" })")),
                 "w.latency_p50_us");
  };
  EXPECT_NEAR(latency(R"("wqe_fetch": "550ns")"), latency("") + 0.55, 0.01);
}

TEST(NetworkRun, StopsWhenAskedAndSaysThatItIsIncomplete) {
  int asked = 0;
  Duration seen{};
  const auto outcome = run_text(
      two_hosts, {.progress = [&](Duration now, Duration) { seen = now; }, .stop = [&] { return ++asked == 2; }});
  EXPECT_FALSE(outcome.results.complete);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(outcome.results.warmup + outcome.results.window, seen);
  EXPECT_LT(outcome.results.window, outcome.results.wanted_window);
}

TEST(NetworkRun, IsAskedToStopWithinAStepAndWithinTheWarmUp) {
  for (const std::string traffic : {R"("rdma": [{ "name": "t", "from": "h0..h7", "to": "h8..h15", "size": "4KiB" }])",
                                    R"("tcp": [{ "name": "t", "from": "h0..h7", "to": "h8..h15" }])"})
    for (const std::string window :
         {R"("warmup": "0ns", "measure": "20ms")", R"("warmup": "20ms", "measure": "2ms")", R"("warmup": "20ms")"}) {
      int asked = 0;
      const auto outcome =
          run_text(R"({ "network": { "clos": { "racks": 4, "hosts": 4, "spines": 4 } }, "run": { "patience": "1s", )" +
                       window + " }, " + traffic + " }",
                   {.stop = [&] { return ++asked == 2; }});
      EXPECT_EQ(asked, 2) << traffic << window;
      EXPECT_FALSE(outcome.results.complete);
      EXPECT_LT(outcome.results.warmup + outcome.results.window, Duration{std::chrono::milliseconds{1}});
    }
}

TEST(NetworkRun, AHostTakesInWhatItsPcieDoesAndTheReasonIsNamed) {
  scenario::LoadOptions options;
  options.search = {scenario::shipped_scenarios()};
  const auto loaded = network_scenario::load_text(R"({
    "network": { "hosts": ["h0..h2"], "switches": ["s"], "cables": [{ "from": "h0..h2", "to": "s", "rate": "400Gbps" }] },
    "nodes": [{ "hosts": "h1", "scenario": "hosts/training_host",
                "set": ["devices.sw0.acs=[\"SV\",\"RR\",\"CR\",\"UF\"]", "devices.rc.acs=[\"SV\",\"RR\",\"CR\",\"UF\"]"] }],
    "rdma": [{ "name": "in", "from": "h0", "to": "h1", "size": "64KiB" }, { "name": "out", "from": "h1", "to": "h2", "size": "64KiB" }],
    "run": { "warmup": "500us", "measure": "2ms" } })",
                                                  "test.json", options);
  ASSERT_TRUE(loaded && *loaded) << scenario::lines_of(loaded->error());
  const auto outcome = run(**loaded);
  ASSERT_TRUE(outcome) << scenario::lines_of(outcome.error());
  ASSERT_EQ(outcome->nodes.size(), 1U);
  const auto& fit = outcome->nodes[0];
  // The uplink carries what comes and what goes, each way: half of 504 Gb/s less what TLPs cost. One way alone, what
  // the root complex carries between peers.
  EXPECT_NEAR(static_cast<double>(fit.receive_beside.bps()) / 1e9, 225, 5);
  EXPECT_NEAR(static_cast<double>(fit.transmit_beside.bps()) / 1e9, 225, 5);
  EXPECT_NEAR(static_cast<double>(fit.receive.bps()) / 1e9, 356, 1);
  EXPECT_EQ(fit.bottleneck.find("link sw0-rc"), 0U) << fit.bottleneck;
  EXPECT_LT(fit.rate_error_percent.value(), 2.5);
  EXPECT_NEAR(value(*outcome, "in.goodput_gbps"), static_cast<double>(fit.receive_beside.bps()) / 1e9, 1.5);
  EXPECT_NEAR(value(*outcome, "out.goodput_gbps"), static_cast<double>(fit.transmit_beside.bps()) / 1e9, 1.5);
  EXPECT_GT(value(*outcome, "network.nic_pauses"), 0);
  EXPECT_THAT(outcome->said, testing::Contains(testing::HasSubstr("h1 (hosts/training_host with devices.sw0.acs")));
}

/// Three hosts of which h1 receives and sends; its level and changes to its PCIe.
Outcome three_hosts(const std::string& level, const std::string& changes,
                    const std::string& host = "hosts/training_host") {
  scenario::LoadOptions options;
  options.search = {scenario::shipped_scenarios()};
  const auto loaded = network_scenario::load_text(
      R"({"network": { "hosts": ["h0..h2"], "switches": ["s"], "cables": [{ "from": "h0..h2", "to": "s", "rate": "400Gbps" }] },
    "nodes": [{ "hosts": "h1", "scenario": ")" +
          host + R"(", "level": ")" + level + R"(", "set": [)" + changes + R"(] }],
    "rdma": [{ "name": "in", "from": "h0", "to": "h1", "size": "64KiB" }, { "name": "out", "from": "h1", "to": "h2", "size": "64KiB" }],
    "run": { "warmup": "300us", "measure": "700us" } })",
      "test.json", options);
  EXPECT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  if (!loaded || !*loaded) return {};
  auto outcome = run(**loaded);
  EXPECT_TRUE(outcome) << scenario::lines_of(outcome ? Problems{} : outcome.error());
  return outcome ? std::move(*outcome) : Outcome{};
}

TEST(NetworkRun, AHostTlpByTlpDoesWhatWasFittedToIt) {
  for (const auto* changes :
       {R"("links.3.from=sw1")", R"("links.2.generation=4", "links.2.width=8")",
        R"("devices.sw0.acs=[\"SV\",\"RR\",\"CR\",\"UF\"]", "devices.rc.acs=[\"SV\",\"RR\",\"CR\",\"UF\"]")"}) {
    const auto node = three_hosts("node", changes), tlp = three_hosts("tlp", changes);
    for (const auto* way : {"in.goodput_gbps", "out.goodput_gbps"})
      EXPECT_NEAR(value(node, way) / value(tlp, way), 1, 0.03) << way << " " << changes;
    EXPECT_EQ(value(tlp, "network.dropped"), 0);
    EXPECT_GT(value(tlp, "network.nic_pauses"), 0);
    ASSERT_TRUE(tlp.nodes.at(0).use.has_value());
    EXPECT_EQ(tlp.nodes[0].use->host, "h1");
    EXPECT_EQ(tlp.nodes[0].use->failed, 0);
    EXPECT_THAT(tlp.said, testing::Contains(testing::HasSubstr("TLP by TLP")));
  }
}

TEST(NetworkRun, OtherTrafficOfAHostGoesOnAndTakesItsShare) {
  // What the GPU writes to host memory leaves it by the link by which its answers to the NIC's reads leave it.
  const TemporaryFolder folder;
  const auto file = folder.path() / "busy.json";
  std::ofstream{file} << R"({ "extends": ")" << (scenario::shipped_scenarios() / "hosts/training_host.json").string()
                      << R"(", "expect": [], "traffic": [
    { "name": "rx", "kind": "receive", "from": "nic0", "to": "gpu0", "headers_to": "dram", "rate": "400Gbps", "sizes": "4096B", "flows": 256 },
    { "name": "dma", "kind": "write", "from": "gpu0", "to": "dram", "rate": "300Gbps", "sizes": "4KiB" }] })";
  const auto alone = three_hosts("tlp", ""), beside = three_hosts("tlp", "", file.string());
  EXPECT_NEAR(value(alone, "out.goodput_gbps"), 392, 2);
  EXPECT_LT(value(beside, "out.goodput_gbps"), 300);
  EXPECT_NEAR(value(beside, "in.goodput_gbps"), 392, 2);
  const auto fitted = three_hosts("node", "", file.string());
  EXPECT_NEAR(value(beside, "out.goodput_gbps") / value(fitted, "out.goodput_gbps"), 1, 0.03);
}

/// Two hosts with TCP, of which h1 has a PCIe; what is added to the scenario.
Outcome tcp_into(const std::string& level, const std::string& changes, const std::string& more) {
  scenario::LoadOptions options;
  options.search = {scenario::shipped_scenarios()};
  const auto loaded = network_scenario::load_text(
      R"({"network": { "hosts": ["h0", "h1"], "switches": ["s"], "cables": [{ "from": "h0..h1", "to": "s", "rate": "200Gbps" }] },
    "nodes": [{ "hosts": "h1", "scenario": "hosts/training_host", "level": ")" +
          level + R"(", "set": [)" + changes +
          R"(] }], "tcp_hosts": { "packet_cost": "0ns", "segment_cost": "0ns", "pause_above": "1MB" },
    "switches": { "lossless": [0] }, )" +
          more + "}",
      "test.json", options);
  EXPECT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  if (!loaded || !*loaded) return {};
  auto outcome = run(**loaded);
  EXPECT_TRUE(outcome) << scenario::lines_of(outcome ? Problems{} : outcome.error());
  return outcome ? std::move(*outcome) : Outcome{};
}

TEST(NetworkRun, TcpLandsInMemoryThroughPcieAndLeavesItThroughPcie) {
  const std::string x8 = R"("links.3.generation=4", "links.3.width=8")";
  for (const std::string way : {R"("from": "h0", "to": "h1")", R"("from": "h1", "to": "h0")"}) {
    const auto more = R"("tcp_stack": { "mtu": 8244 }, "tcp": [{ "name": "t", )" + way +
                      R"( }], "run": { "warmup": "500us", "measure": "500us" })";
    const auto tlp = tcp_into("tlp", x8, more), node = tcp_into("node", x8, more), free = tcp_into("tlp", "", more);
    EXPECT_NEAR(value(free, "t.goodput_gbps"), 200.0 * 8192 / 8282, 2) << way;
    // 126 Gb/s of which a TLP of 256 bytes has 24 more.
    EXPECT_NEAR(value(tlp, "t.goodput_gbps"), 115.2, 1.2) << way;
    EXPECT_NEAR(value(node, "t.goodput_gbps") / value(tlp, "t.goodput_gbps"), 1, 0.03) << way;
    for (const auto* outcome : {&tlp, &node, &free}) {
      EXPECT_EQ(value(*outcome, "t.sent_again"), 0) << way;
      EXPECT_EQ(value(*outcome, "network.nic_dropped"), 0) << way;
    }
    EXPECT_EQ(value(tlp, "network.nic_pauses") > 0, way.find(R"("to": "h1")") != std::string::npos);
    EXPECT_THAT(tlp.said, testing::Contains(testing::HasSubstr("link gpu0-sw0 ")));
  }
}

TEST(NetworkRun, TcpEndsWithItsLastConnectionAndSaysWhatHeldItBack) {
  const auto outcome = run_text(R"({
    "network": { "hosts": ["h0..h2"], "switches": ["s"], "cables": [{ "from": "h0..h2", "to": "s", "rate": "100Gbps" }] },
    "tcp": [{ "name": "f", "from": "h0", "to": "h2", "bytes": "10MiB" },
            { "name": "slow", "from": "h1", "to": "h0", "bytes": "10MiB", "consumer": { "rate": "5Gbps" } }],
    "run": { "measure": "1s" } })");
  EXPECT_EQ(value(outcome, "f.flows"), 1);
  EXPECT_EQ(value(outcome, "slow.flows"), 1);
  EXPECT_NEAR(value(outcome, "slow.time_max_us"), 10.0 * 1048576 * 8 / 5e3, 500);
  EXPECT_LT(outcome.results.window, std::chrono::milliseconds{18});
  EXPECT_GT(value(outcome, "slow.window_closed_us"), 1000);
  EXPECT_GT(value(outcome, "slow.receive_core_percent"), 90);
  EXPECT_THAT(outcome.said, testing::Contains(testing::HasSubstr("slow: the receive window limited the sender for")));
}

}  // namespace
}  // namespace peerpath::network_run
