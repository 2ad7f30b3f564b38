// Collectives and jobs of network scenarios, packet by packet and as flows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "platform/network/flow_run.hpp"
#include "platform/network/test_runs.hpp"

namespace peerpath::network_run {
namespace {

TEST(CollectiveRun, ACollectiveThroughASlowHostTakesTheTimeOfItsMemoryAndItsLimitIsThatHost) {
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

/// Measured on two servers of eight H200s: 383 and 382 GB/s (nccl-tests 256).
TEST(CollectiveRun, AReduceScatterTakesTheTimeOfItsMirrorImageTheAllGather) {
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

TEST(CollectiveRun, AMetricOfWhatNeverEndedHasNoValue) {
  const auto outcome = run_text(R"({
    "network": { "clos": { "racks": 2, "hosts": 2, "spines": 1 } },
    "collectives": [{ "name": "sum", "hosts": "h0..h3", "bytes": "1GiB" }], "run": { "measure": "10us" } })");
  const auto* time = observe::find_metric(outcome.results, "sum.time_us");
  ASSERT_NE(time, nullptr);
  EXPECT_FALSE(time->value.has_value());
}

/// A ring's closed form: 2 * 7 steps of an eighth, each a message's packets with all headers.
TEST(CollectiveRun, AJobIsExposedByWhatItsComputingDoesNotHide) {
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

TEST(CollectiveRun, SmallAllReducesAreFasterOverTreesAndLargeOnesAreNot) {
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

TEST(CollectiveRun, AHierarchicalAllReduceSendsAGpusShareByItsNic) {
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
TEST(CollectiveRun, RingsOverTwoNicsHaveTheBusBandwidthOfNccl) {
  const auto outcome = run_text(R"({
    "network": { "hosts": ["h0..h15"], "switches": ["s"], "cables": [{ "from": "h0..h15", "to": "s", "rate": "200Gbps" }] },
    "servers": { "gpus": 8, "nvlink": "2400Gbps" }, "run": { "measure": "100ms" },
    "collectives": [{ "name": "one", "hosts": ["h0..h15"], "bytes": "128MiB", "buffers": {} },
                    { "name": "two", "hosts": ["h1..h7", "h0", "h9..h15", "h8"], "bytes": "128MiB", "buffers": {} }] })");
  EXPECT_NEAR(value(outcome, "one.busbw") + value(outcome, "two.busbw"), 48, 48 * 0.05);
}

/// One token of each rank stays where it is, or does not, by the seed.
TEST(CollectiveRun, TokensThatAllStayTakeNoTimeHaveNoRateAndNothingHoldsThemBack) {
  int stayed = 0;
  for (int seed = 0; seed < 8; ++seed) {
    const auto outcome = run_text(R"({
      "network": { "hosts": ["h0", "h1"], "switches": ["s"], "cables": [{ "from": "h0..h1", "to": "s", "rate": "100Gbps" }] },
      "collectives": [{ "name": "c", "kind": "all_to_all", "hosts": "h0..h1", "bytes": "4KiB", "token": "4KiB",
                        "start": "3us" }], "run": { "measure": "50us", "seed": )" +
                                  std::to_string(seed) + " } }");
    if (value(outcome, "network.packets") > 0) {
      EXPECT_GT(value(outcome, "c.time_us"), 1);
      continue;
    }
    ++stayed;
    EXPECT_EQ(value(outcome, "c.time_us"), 0);
    for (const auto* rate : {"c.nic_gbps", "c.algbw", "c.busbw"})
      EXPECT_FALSE(observe::find_metric(outcome.results, rate)->value) << rate;
    EXPECT_TRUE(outcome.results.limits.empty());
  }
  EXPECT_GT(stayed, 0);
  EXPECT_LT(stayed, 8);
}

TEST(CollectiveRun, FlowsTakeWhatPacketsTakeOfEveryCollective) {
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

TEST(CollectiveRun, FlowsTakeWhatPacketsTakeWhereNothingCollides) {
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

TEST(CollectiveRun, FlowsShareACableAndSayNothingOfQueues) {
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

TEST(CollectiveRun, ACollectiveWithTooManyMessagesIsPlayedInPart) {
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

TEST(CollectiveRun, CablesOfFlowsAreBusyForWhatTheyCarryInTheWindow) {
  const auto outcome = run_text(R"({
    "network": { "hosts": ["h0..h1"], "switches": ["s"], "cables": [{ "from": "h0..h1", "to": "s", "rate": "200Gbps" }] },
    "rdma": [{ "name": "w", "from": "h0", "to": "h1", "size": "32MiB", "outstanding": 2 }],
    "run": { "warmup": "100us", "measure": "200us", "level": "flows" } })");
  EXPECT_EQ(outcome.cables.front().busy_percent.value(), 100);
}

/// A cable carries 6250 bytes in the window; at its end, each of eight messages has sent a fraction of a byte.
TEST(CollectiveRun, CablesOfFlowsAreBusyForNoLongerThanAShortWindow) {
  const auto outcome = run_text(R"({
    "network": { "hosts": ["h0..h1"], "switches": ["s"], "cables": [{ "from": "h0", "to": "s", "rate": "10Gbps" },
                                                                   { "from": "h1", "to": "s", "rate": "100Gbps" }] },
    "collectives": [{ "name": "c", "hosts": "h0..h1", "channels": 2, "qps": 4 }],
    "run": { "measure": "5us", "level": "flows" } })");
  EXPECT_EQ(outcome.cables.front().busy_percent.value(), 100);
}

}  // namespace
}  // namespace peerpath::network_run
