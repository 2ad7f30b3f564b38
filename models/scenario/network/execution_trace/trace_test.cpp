// Execution traces from files to jobs.
#include <gtest/gtest.h>

#include <fstream>

#include "scenario/network/execution_trace/chakra.hpp"
#include "scenario/network/execution_trace/join.hpp"
#include "scenario/network/execution_trace/plain.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_scenario {
namespace {

using collective::Exchange;
using collective::Task;
using scenario::lines_of;

const auto data = scenario::source_folder() / "testdata";

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Nodes as one rank's plain JSON.
RankTrace plain(const std::string& nodes, const std::string& file = "a.json") {
  auto trace = read_plain("{ \"nodes\": [\n" + nodes + "] }", file);
  EXPECT_TRUE(trace) << (trace ? "" : lines_of(trace.error()));
  return trace ? *trace : RankTrace{};
}

std::string problems_of(const std::vector<RankTrace>& traces, const JoinOptions& options = {}) {
  const auto job = join(traces, options);
  return job ? "" : lines_of(job.error());
}

TEST(Chakra, FilesOfAstraSimAreRead) {
  std::vector<RankTrace> traces;
  for (int rank = 0; rank < 8; ++rank) {
    const auto file = data / "astra_sim" / ("all_reduce." + std::to_string(rank) + ".et");
    const auto trace = read_chakra(bytes_of(file), "all_reduce.et");
    ASSERT_TRUE(trace) << lines_of(trace.error());
    ASSERT_EQ(trace->nodes.size(), 1u);
    const auto& node = trace->nodes.front();
    EXPECT_EQ(node.id, rank);
    EXPECT_EQ(node.name, "all_reduce_8npus_1MB");
    EXPECT_EQ(node.type, NodeType::collective);
    EXPECT_EQ(node.comm_type, CommType::all_reduce);
    EXPECT_EQ(node.comm_size, 1 << 20);
    EXPECT_FALSE(node.is_cpu_op);
    traces.push_back(*trace);
  }
  const auto job = join(traces, {});
  ASSERT_TRUE(job) << lines_of(job.error());
  ASSERT_EQ(job->operations.size(), 1u);
  EXPECT_EQ(job->groups.at(job->operations[0].group).size(), 8u);
  EXPECT_EQ(job->operations[0].bytes, Bytes{1 << 20});
}

TEST(Chakra, AFileThatEndsTooSoonIsRefusedWhereverItIsCut) {
  const auto whole = bytes_of(data / "astra_sim" / "all_reduce.1.et");
  ASSERT_EQ(whole.size(), 83u);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto trace = read_chakra(whole.substr(0, length), "cut.et");
    // Behind the metadata is the end of a file without nodes.
    ASSERT_EQ(trace.has_value(), length == 8) << length;
  }
  const auto cut = read_chakra(whole.substr(0, 40), "cut.et");
  EXPECT_EQ(lines_of(cut.error()),
            "cut.et: node number 1: the file ends within it (it begins at byte 8 of 40): truncated?\n");
}

TEST(Chakra, WhatIsNoSuchFileIsRefused) {
  EXPECT_EQ(lines_of(read_chakra("{ \"nodes\": [] }", "x.et").error()),
            "x.et: is no Chakra execution trace: it does not begin with metadata behind their length\n");
  // A node of type 99, and one whose comm_type is 42.
  using namespace std::string_literals;
  EXPECT_EQ(lines_of(read_chakra("\x00\x04\x08\x05\x18\x63"s, "x.et").error()),
            "x.et: node 5: type 99 is none of the schema\n");
  EXPECT_EQ(lines_of(read_chakra("\x00\x13\x08\x05\x18\x07\x52\x0d\x0a\x09"s + "comm_type\x48\x2a", "x.et").error()),
            "x.et: node 5: comm_type 42 is none of the schema\n");
}

TEST(PlainTrace, HasTheSameNodes) {
  const auto trace = read_plain(bytes_of(data / "pipeline.json"), "pipeline.json");
  ASSERT_TRUE(trace) << lines_of(trace.error());
  ASSERT_EQ(trace->nodes.size(), 11u);
  EXPECT_EQ(trace->nodes[4].data_deps, std::vector<std::int64_t>{4});
  EXPECT_EQ(trace->nodes[5].comm_type, CommType::reduce_scatter);
  EXPECT_EQ(trace->nodes[5].line, 9);
}

TEST(PlainTrace, ProblemsHaveTheirPlaces) {
  const auto wrong = read_plain(
      "{ \"nodes\": [\n{ \"id\": 1, \"type\": \"COMP_NOD\" },\n{ \"type\": \"COMP_NODE\", \"duration\": 3 }] }",
      "a.json");
  ASSERT_FALSE(wrong);
  const auto lines = lines_of(wrong.error());
  EXPECT_NE(lines.find("a.json:2:20: /nodes/0/type: \"COMP_NOD\" is not one of"), lines.npos) << lines;
  EXPECT_NE(lines.find("did you mean \"COMP_NODE\"?"), lines.npos) << lines;
  EXPECT_NE(lines.find("a.json:3:24: /nodes/1/duration: unknown key"), lines.npos) << lines;
  EXPECT_NE(lines_of(read_plain("{ \"nodes\": [{ \"type\": \"COMP_NODE\" }] }", "a.json").error())
                .find("/nodes/0/id: is missing"),
            std::string::npos);
  EXPECT_FALSE(read_plain("{}", "a.json"));
  EXPECT_FALSE(read_plain("[", "a.json"));
}

TEST(Join, NodesBecomeTasksInTheOrderOfTheirIds) {
  const auto job =
      join({plain(R"({ "id": 9, "type": "COMP_NODE", "duration_micros": 7, "data_deps": [4], "ctrl_deps": [5] },
                                  { "id": 4, "type": "MEM_LOAD_NODE", "duration_micros": 2 },
                                  { "id": 5, "type": "COMM_COLL_NODE", "is_cpu_op": true, "duration_micros": 3 },
                                  { "id": 6, "type": "METADATA_NODE", "duration_micros": 3 })")},
           {});
  ASSERT_TRUE(job) << lines_of(job.error());
  const auto& tasks = job->ranks.at(0);
  ASSERT_EQ(tasks.size(), 4u);
  EXPECT_EQ(tasks[0].kind, Task::Kind::gpu);
  EXPECT_EQ(tasks[1].kind, Task::Kind::cpu);  // the CPU's part of a collective
  EXPECT_EQ(tasks[2].kind, Task::Kind::nothing);
  EXPECT_EQ(tasks[3].time, std::chrono::microseconds{7});
  EXPECT_EQ(tasks[3].after, (std::vector<std::uint32_t>{1, 0}));
}

TEST(Join, AControlDependencyOnANodeThatIsNotThereIsLeftOutAndCounted) {
  const auto job = join(
      {plain(R"({ "id": 9, "type": "COMP_NODE", "ctrl_deps": [4, 9000] }, { "id": 4, "type": "COMP_NODE" })")}, {});
  ASSERT_TRUE(job) << lines_of(job.error());
  EXPECT_EQ(job->left_out, 1u);
  EXPECT_EQ(job->ranks[0][1].after, std::vector<std::uint32_t>{0});
}

TEST(Join, DependenciesAndIdsThatCannotBe) {
  EXPECT_EQ(problems_of({plain(R"({ "id": 1, "type": "COMP_NODE", "data_deps": [8] },
{ "id": 1, "type": "COMP_NODE" })")}),
            "a.json:2:1: node 1: waits for node 8, which this rank does not have\n"
            "a.json:3:1: node 1: another node of this rank has that id\n");
}

const std::string reduces =
    R"({ "id": 1, "type": "COMM_COLL_NODE", "comm_type": "ALL_REDUCE", "comm_size": 8, "pg_name": "dp" })";
const std::string gathers =
    R"({ "id": 2, "type": "COMM_COLL_NODE", "comm_type": "ALL_GATHER", "comm_size": 8, "pg_name": "dp" })";

TEST(Join, CollectivesOfOneGroupAreMatchedByTheirOrder) {
  const auto job = join({plain(reduces + ",\n" + gathers), plain("{ \"id\": 0, \"type\": \"COMP_NODE\" }"),
                         plain(reduces + ",\n" + gathers)},
                        {});
  ASSERT_TRUE(job) << lines_of(job.error());
  ASSERT_EQ(job->operations.size(), 2u);
  EXPECT_EQ(job->groups.at(job->operations[1].group), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(job->ranks[2][1].after, std::vector<std::uint32_t>{0});
}

TEST(Join, CollectivesThatDoNotFitTogether) {
  auto larger = reduces;
  larger.replace(larger.find("\"comm_size\": 8"), 14, "\"comm_size\": 9");
  EXPECT_EQ(problems_of({plain(reduces), plain(larger, "b.json")}),
            "b.json:2:1: node 1: has comm_size 9, and rank 0's node 1 of the same collective has 8\n");
  EXPECT_EQ(problems_of({plain(reduces), plain(gathers, "b.json")}),
            "b.json:2:1: node 2: is ALL_GATHER, and rank 0's node 1 of the same collective is ALL_REDUCE\n");
  EXPECT_EQ(problems_of({plain(reduces), plain(reduces + ",\n" + gathers, "b.json")}),
            "b.json:3:1: node 2: is collective 2 of process group \"dp\", and rank 0 has 1 of it\n");
  EXPECT_EQ(problems_of({plain(R"({ "id": 1, "type": "COMM_COLL_NODE", "comm_type": "GATHER", "comm_size": 8,
                                  "root_rank": 1 })")}),
            "a.json:2:1: node 1: root_rank 1 is not in its group\n");
  EXPECT_EQ(problems_of({plain(R"({ "id": 1, "type": "COMM_COLL_NODE" })")}), "a.json:2:1: node 1: has no comm_size\n");
  EXPECT_EQ(problems_of({plain(R"({ "id": 1, "type": "COMM_COLL_NODE", "comm_size": 9223372036854775807 })")}),
            "a.json:2:1: node 1: would be messages of more than 2 GiB\n");
}

std::string sends(int id, int to, int bytes, int tag = 0, const std::string& more = "") {
  return "{ \"id\": " + std::to_string(id) + ", \"type\": \"COMM_SEND_NODE\", \"comm_dst\": " + std::to_string(to) +
         ", \"comm_size\": " + std::to_string(bytes) + ", \"comm_tag\": " + std::to_string(tag) + more + " }";
}
std::string receives(int id, int from, int bytes, int tag = 0, const std::string& more = "") {
  return "{ \"id\": " + std::to_string(id) + ", \"type\": \"COMM_RECV_NODE\", \"comm_src\": " + std::to_string(from) +
         ", \"comm_size\": " + std::to_string(bytes) + ", \"comm_tag\": " + std::to_string(tag) + more + " }";
}

TEST(Join, MessagesAreMatchedByTagsAndThenByOrder) {
  const auto job = join({plain(sends(1, 1, 10, 5) + "," + sends(2, 1, 20, 6) + "," + sends(3, 1, 30, 5)),
                         plain(receives(1, 0, 20, 6) + "," + receives(2, 0, 10, 5) + "," + receives(3, 0, 30, 5))},
                        {});
  ASSERT_TRUE(job) << lines_of(job.error());
  ASSERT_EQ(job->operations.size(), 3u);
  EXPECT_EQ(job->operations[0].tasks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(job->operations[1].tasks, (std::vector<std::uint32_t>{2, 2}));
  EXPECT_EQ(job->operations[2].tasks, (std::vector<std::uint32_t>{1, 0}));
}

TEST(Join, MessagesThatDoNotFitTogether) {
  const auto idle = plain("");
  EXPECT_EQ(problems_of({plain(sends(4, 1, 10, 5)), plain(receives(1, 0, 10, 6), "b.json")}),
            "a.json:2:1: node 4: is a send that no receive belongs to: rank 1 has 0 receives with its tag\n"
            "b.json:2:1: node 1: is a receive that no send belongs to: rank 0 has 0 sends with its tag\n");
  EXPECT_EQ(problems_of({plain(sends(4, 1, 10)), plain(receives(1, 0, 11), "b.json")}),
            "b.json:2:1: node 1: has comm_size 11, and rank 0's node 4, which sends it, 10\n");
  EXPECT_EQ(problems_of({plain(sends(4, 2, 10)), idle}), "a.json:2:1: node 4: comm_dst 2 is no rank; there are 2\n");
  EXPECT_EQ(problems_of({plain(sends(4, 0, 10)), idle}), "a.json:2:1: node 4: comm_dst is the rank itself\n");
  EXPECT_EQ(problems_of({plain(sends(4, 1, 10, 0, ", \"comm_src\": 1")), idle}),
            "a.json:2:1: node 4: comm_src 1 is not the rank itself, 0\n");
}

TEST(Join, CirclesAreNamed) {
  EXPECT_EQ(problems_of({plain(R"({ "id": 1, "type": "COMP_NODE", "data_deps": [1] })")}),
            "a.json:2:1: node 1: waits for itself; collectives of one process group go in the order of their ids\n");
  // Each receives before it sends.
  const auto first = [&](int other) {
    return receives(1, other, 8) + "," + sends(2, other, 8, 0, ", \"ctrl_deps\": [1]");
  };
  EXPECT_EQ(
      problems_of({plain(first(1)), plain(first(0))}),
      "a.json:2:1: node 1: waits for itself, over rank 1's node 2, rank 1's node 1, rank 0's node 2; collectives of "
      "one process group go in the order of their ids\n");
  // Two groups in another order at each rank.
  const auto ordered = [&](const std::string& a, const std::string& b) {
    const std::string begin = "\"type\": \"COMM_COLL_NODE\", \"comm_size\": 8, \"pg_name\": \"";
    return "{ \"id\": 1, " + begin + a + "\" }, { \"id\": 2, " + begin + b + "\", \"ctrl_deps\": [1] }";
  };
  EXPECT_EQ(problems_of({plain(ordered("x", "y")), plain(ordered("x", "y"))}), "");
  EXPECT_NE(problems_of({plain(ordered("x", "y")), plain(ordered("y", "x"))}).find("waits for itself"),
            std::string::npos);
}

TEST(Join, RanksThatSendBeforeTheyReceiveWaitForEachOtherOnlyIfReceiversClear) {
  const auto first = [&](int other) {
    return sends(1, other, 8) + "," + receives(2, other, 8, 0, ", \"ctrl_deps\": [1]");
  };
  const std::vector<RankTrace> traces{plain(first(1)), plain(first(0))};
  EXPECT_EQ(problems_of(traces), "");
  EXPECT_NE(problems_of(traces, {.config = {}, .cleared = true}).find("waits for itself"), std::string::npos);
}

}  // namespace
}  // namespace peerpath::network_scenario
