#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "peerpath/base/temporary_folder.hpp"
#include "platform/network/flow_run.hpp"
#include "platform/network/run.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_run {
namespace {

using observe::Verdict;

Outcome run_text(const std::string& text, const Options& options = {}, std::map<std::string, std::string> files = {}) {
  const auto loaded = network_scenario::load_text(text, "test.json", scenario::in_memory(std::move(files)));
  EXPECT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  if (!loaded || !*loaded) return {};
  auto outcome = run(**loaded, options);
  EXPECT_TRUE(outcome) << scenario::lines_of(outcome ? Problems{} : outcome.error());
  return outcome ? std::move(*outcome) : Outcome{};
}

double value(const Outcome& outcome, const std::string& name) {
  const auto* metric = observe::find_metric(outcome.results, name);
  return metric != nullptr && metric->value ? metric->value->value() : -1;
}

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

TEST(NetworkRun, CablesOfFlowsAreBusyForWhatTheyCarryInTheWindow) {
  const auto outcome = run_text(pair_with(R"("size": "32MiB", "outstanding": 2)",
                                          R"("run": { "warmup": "100us", "measure": "200us", "level": "flows" })"));
  EXPECT_EQ(outcome.cables.front().busy_percent.value(), 100);
}

TEST(NetworkRun, ACollectiveThroughASlowHostTakesTheTimeOfItsMemoryAndItsLimitIsThatHost) {
  const auto outcome = run_text(R"({ "network": { "hosts": ["h0..h3"], "switches": ["s"],
                             "cables": [{ "from": "h0..h3", "to": "s", "rate": "400Gbps" }] },
    "slow_hosts": [{ "hosts": "h1", "rate": "20Gbps" }],
    "collectives": [{ "name": "c", "kind": "all_gather", "hosts": "h0..h3", "bytes": "256KiB" }] })");
  // Three of four parts come in: 24 messages of 8 KiB, in packets with 58 B of headers, the first one's 16 B longer,
  // the last one's 4 B for the number of the message.
  const double least = 24 * (8192 + 2 * 58 + 16 + 4) * 8 / 20e3;
  EXPECT_GE(value(outcome, "c.time_us"), least);
  EXPECT_LE(value(outcome, "c.time_us"), least + 4);
  EXPECT_EQ(outcome.results.limit, "host h1");
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

/// Measured on two servers of eight H200s: 383 and 382 GB/s (nccl-tests 256).
TEST(NetworkRun, AReduceScatterTakesTheTimeOfItsMirrorImageTheAllGather) {
  const auto took = [](const std::string& kind, int servers, int gpus, int slices) {
    return value(run_text(R"({ "network": { "rail_optimised": { "servers": )" + std::to_string(servers) +
                          R"(, "rails": )" + std::to_string(gpus) + R"(, "spines": 2 } }, "servers": { "gpus": )" +
                          std::to_string(gpus) + R"( }, "switches": { "path": "ecmp_qp" }, "collectives": [{
      "name": "c", "kind": ")" +
                          kind + R"(", "hosts": "h0..h)" + std::to_string(servers * gpus - 1) +
                          R"(", "bytes": "32MiB", "slices": )" + std::to_string(slices) +
                          R"(, "hierarchical": true }], "run": { "measure": "100ms" } })"),
                 "c.time_us");
  };
  for (const auto& [servers, gpus] : {std::pair{2, 4}, {4, 4}, {2, 8}})
    for (const int slices : {1, 2, 8}) {
      const auto gather = took("all_gather", servers, gpus, slices),
                 scatter = took("reduce_scatter", servers, gpus, slices);
      EXPECT_GT(gather, 0);
      EXPECT_NEAR(scatter / gather, 1, 0.03) << servers << " x " << gpus << ", " << slices;
      // One after the other, but the first slices need not wait for the last.
      const auto both = took("all_reduce", servers, gpus, slices) / (gather + scatter);
      EXPECT_LT(both, 1.02) << servers << " x " << gpus << ", " << slices;
      EXPECT_GT(both, 0.9) << servers << " x " << gpus << ", " << slices;
    }
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

TEST(NetworkRun, AMetricOfWhatNeverEndedHasNoValue) {
  const auto outcome = run_text(R"({
    "network": { "clos": { "racks": 2, "hosts": 2, "spines": 1 } },
    "collectives": [{ "name": "sum", "hosts": "h0..h3", "bytes": "1GiB" }], "run": { "measure": "10us" } })");
  const auto* time = observe::find_metric(outcome.results, "sum.time_us");
  ASSERT_NE(time, nullptr);
  EXPECT_FALSE(time->value.has_value());
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

/// A ring's closed form: 2 * 7 steps of an eighth, each a message's packets with all headers.
TEST(NetworkRun, AJobIsExposedByWhatItsComputingDoesNotHide) {
  const std::map<std::string, std::string> files{{"a.json", R"({ "nodes": [
    { "id": 1, "type": "COMP_NODE", "duration_micros": 50 },
    { "id": 2, "type": "COMM_COLL_NODE", "comm_size": 1000000, "data_deps": [1] },
    { "id": 3, "type": "COMP_NODE", "duration_micros": 60, "data_deps": [1] },
    { "id": 4, "type": "COMP_NODE", "duration_micros": 10, "data_deps": [2, 3] }] })"}};
  const auto text = [](const std::string& more) {
    return R"({ "network": { "hosts": "h0..h1", "switches": "s", "cables": [{ "from": "h0..h1", "to": "s", "rate": "100Gbps" }] },
                "traces": [{ "name": "job", "file": "a.json", "hosts": "h0..h1" }], "run": { "measure": "1ms" )" +
           more + " } }";
  };
  const auto packets = run_text(text(""), {}, files);
  // Each rank sends 1 MB, of which headers leave 98 Gb/s, in 81.6 us; the last slice has a way more to go.
  EXPECT_NEAR(value(packets, "job.exposed_us"), 81.6 - 60, 6);
  EXPECT_EQ(value(packets, "job.computing_us"), 120);
  EXPECT_EQ(value(packets, "job.hidden_us"), 60);
  EXPECT_NEAR(value(packets, "job.time_us"), 60 + value(packets, "job.communicating_us"), 1);
  ASSERT_EQ(packets.jobs.size(), 1u);
  EXPECT_EQ(packets.jobs[0].size(), 2u);
  const auto flows = run_text(text(R"(, "level": "flows")"), {}, files);
  EXPECT_NEAR(value(flows, "job.communicating_us") / value(packets, "job.communicating_us"), 1, 0.05);
}

TEST(NetworkRun, SmallAllReducesAreFasterOverTreesAndLargeOnesAreNot) {
  const auto time = [](const char* algorithm, const char* bytes) {
    return value(
        run_text(R"({ "network": { "clos": { "racks": 1, "hosts": 16, "spines": 1 } }, "run": { "measure": "10ms" },
                               "collectives": [{ "name": "c", "hosts": "h0..h15", "slices": 8, "algorithm": ")" +
                 std::string{algorithm} + R"(", "bytes": ")" + bytes + R"(" }] })"),
        "c.time_us");
  };
  // Some 2 us a step: 30 of a ring, 8 of a tree of 16.
  EXPECT_LT(time("tree", "16KiB"), time("ring", "16KiB") / 2);
  EXPECT_GT(time("tree", "16MiB"), time("ring", "16MiB"));
}

/// Two racks of eight hosts, servers of four, and what `entry` says of the sixteen.
Outcome run_collective(const std::string& entry, const std::string& level = "packets", const Options& options = {}) {
  return run_text(R"({ "network": { "clos": { "racks": 2, "hosts": 8, "spines": 8 } }, "switches": { "path": "pinned" },
      "servers": { "gpus": 4 }, "run": { "measure": "50ms", "level": ")" +
                      level + R"(" }, "collectives": [{ "name": "c", "hosts": "h0..h15", )" + entry + " }] }",
                  options);
}

TEST(NetworkRun, AHierarchicalAllReduceSendsAGpusShareByItsNic) {
  const std::string job = R"("bytes": "64MiB", "slices": 8, "hierarchical": )";
  const auto outcome = run_collective(job + "true");
  // 3 / 2 of 16 MiB by each NIC at 392.2 Gb/s are 513 us, and 3 / 2 of 64 MiB by NVLink 271.
  const auto wire = 1.5 * 16 * 1048576 * 8 / 392.2e3, inside = 1.5 * 64 * 1048576 * 8 / 2966.4e3;
  EXPECT_GT(value(outcome, "c.time_us"), wire);
  EXPECT_LT(value(outcome, "c.time_us"), wire + inside);  // slices overlap
  EXPECT_NEAR(value(outcome, "c.nic_gbps"), 1.5 * 16 * 1048576 * 8 / value(outcome, "c.time_us") / 1e3, 0.01);
  EXPECT_NEAR(value(outcome, "c.busbw"), 1.875 * 64 * 1048576 / value(outcome, "c.time_us") / 1e3, 0.01);
  // Each of 4 x 8 parts goes round by itself, three steps there and back, and is heard of: a latency of 0.6 us each.
  EXPECT_GT(value(outcome, "c.inside_us"), inside);
  EXPECT_LT(value(outcome, "c.inside_us"), inside + 2 * 4 * 8 * (3 + 1) * 0.6);
  EXPECT_GT(value(outcome, "c.between_us"), wire);
  // Flat, one NIC of two has to send it all: four times as much as its part.
  EXPECT_GT(value(run_collective(job + "false"), "c.time_us"), 3 * value(outcome, "c.time_us"));
}

/// Two servers of eight A100s with two NICs of 200 Gb/s each: NVIDIA/nccl issue 949 has 48 GB/s of bus bandwidth, once
/// ACS is off. Two rings, each with half of the bytes, cross by a NIC of their own.
TEST(NetworkRun, RingsOverTwoNicsHaveTheBusBandwidthOfNccl) {
  const auto outcome = run_text(R"({
    "network": { "hosts": ["h0..h15"], "switches": ["s"], "cables": [{ "from": "h0..h15", "to": "s", "rate": "200Gbps" }] },
    "servers": { "gpus": 8, "nvlink": "2400Gbps" }, "run": { "measure": "100ms" },
    "collectives": [{ "name": "one", "hosts": ["h0..h15"], "bytes": "128MiB", "buffers": {} },
                    { "name": "two", "hosts": ["h1..h7", "h0", "h9..h15", "h8"], "bytes": "128MiB", "buffers": {} }] })");
  EXPECT_NEAR(value(outcome, "one.busbw") + value(outcome, "two.busbw"), 48, 48 * 0.05);
}

TEST(NetworkRun, FlowsTakeWhatPacketsTakeOfEveryCollective) {
  for (const std::string entry :
       {R"("hierarchical": true)", R"("hierarchical": true, "algorithm": "tree")",
        R"("kind": "all_gather", "hierarchical": true)", R"("kind": "all_to_all", "hierarchical": true)",
        R"("kind": "all_to_all", "token": "16KiB", "skew": 1)", R"("kind": "broadcast", "algorithm": "tree")",
        R"("kind": "reduce")", R"("kind": "gather", "root": 3)", R"("kind": "scatter", "algorithm": "tree")",
        R"("buffers": {}, "channels": 2)", R"("buffers": { "size": "512KiB" }, "protocol": "LL128")"}) {
    const auto packets = run_collective(R"("bytes": "8MiB", )" + entry),
               flows = run_collective(R"("bytes": "8MiB", )" + entry, "flows");
    EXPECT_GT(value(packets, "c.time_us"), 10) << entry;
    EXPECT_NEAR(value(flows, "c.time_us") / value(packets, "c.time_us"), 1, 0.1) << entry;
  }
}

TEST(NetworkRun, FlowsTakeWhatPacketsTakeWhereNothingCollides) {
  const std::string job = R"({
    "network": { "hosts": ["h0..h7"], "switches": ["s"], "cables": [{ "from": "h0..h7", "to": "s", "rate": "400Gbps" }] },
    "collectives": [{ "name": "sum", "hosts": "h0..h7", "bytes": "8MiB" }],
    "run": { "measure": "10ms", "level": ")";
  const auto packets = run_text(job + R"(packets" } })"), flows = run_text(job + R"(flows" } })");
  const auto wire = 14 * 1048576 * 8 / 392.2e3;
  EXPECT_NEAR(value(flows, "sum.time_us"), wire, wire / 50);
  EXPECT_NEAR(value(flows, "sum.time_us"), value(packets, "sum.time_us"), wire / 50);
  EXPECT_THAT(flows.said, testing::Contains(testing::HasSubstr("level flows simulates no queues")));
}

TEST(NetworkRun, FlowsShareACableAndSayNothingOfQueues) {
  const auto outcome = run_text(R"({
    "network": { "hosts": ["h0..h2"], "switches": ["s"], "cables": [{ "from": "h0..h2", "to": "s", "rate": "400Gbps" }] },
    "rdma": [{ "name": "in", "from": ["h0", "h1"], "to": "h2", "size": "1MiB" },
             { "name": "out", "from": "h0", "to": "h2", "size": "1MiB", "operation": "read" }],
    "run": { "measure": "5ms", "level": "flows" } , "expect": [{ "metric": "network.dropped", "equals": 0 }] })");
  EXPECT_NEAR(value(outcome, "in.goodput_gbps"), 392.2, 4);
  EXPECT_NEAR(value(outcome, "out.goodput_gbps"), 392.2, 4);  // the other way: h2's data
  EXPECT_TRUE(outcome.results.expectations.empty());
  EXPECT_THAT(outcome.said, testing::Contains("not evaluated at level flows: network.dropped"));
}

TEST(NetworkRun, ACollectiveWithTooManyMessagesIsPlayedInPart) {
  const auto loaded = network_scenario::load_text(R"({
    "network": { "hosts": ["h0..h15"], "switches": ["s"], "cables": [{ "from": "h0..h15", "to": "s", "rate": "400Gbps" }] },
    "collectives": [{ "name": "sum", "hosts": "h0..h15", "bytes": "16MiB" }],
    "run": { "measure": "10ms", "level": "flows" } })",
                                                  "test.json", scenario::in_memory({}));
  ASSERT_TRUE(loaded && *loaded);
  const auto whole = run_flows(**loaded, {});
  const auto part = run_flows(**loaded, {}, 160);
  ASSERT_TRUE(whole && part);
  EXPECT_NEAR(value(*part, "sum.time_us"), value(*whole, "sum.time_us"), value(*whole, "sum.time_us") / 20);
  EXPECT_THAT(part->said, testing::Contains(testing::HasSubstr("10 of 30 steps were simulated")));
}

}  // namespace
}  // namespace peerpath::network_run
