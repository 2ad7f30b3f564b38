// One network scenario played by several ranks: the same outcome as by one.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "peerpath/base/random.hpp"
#include "platform/network/run.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_run {
namespace {

/// What ranks that are threads of this process leave for each other.
class Table {
 public:
  explicit Table(std::uint32_t count) : given_(count, std::vector<Buffer>(count)) {}
  std::uint32_t count() const { return static_cast<std::uint32_t>(given_.size()); }

  void exchange(std::uint32_t self, const std::vector<Buffer>& out, std::vector<Buffer>& in) {
    for (std::uint32_t r = 0; r < count(); ++r) given_[self][r] = out[r];
    meet();
    for (std::uint32_t r = 0; r < count(); ++r)
      if (r != self) in[r] = given_[r][self];
    meet();
  }

 private:
  void meet() {
    std::unique_lock lock{mutex_};
    const auto round = round_;
    if (++here_ == count()) {
      here_ = 0;
      ++round_;
      return all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return round_ != round; });
  }

  std::vector<std::vector<Buffer>> given_;  ///< [from][to]
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::uint32_t here_ = 0;
  std::uint64_t round_ = 0;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Table& table, std::uint32_t number) : table_{table}, number_{number} {}
  std::uint32_t number() const override { return number_; }
  std::uint32_t count() const override { return table_.count(); }
  void exchange(const std::vector<Buffer>& out, std::vector<Buffer>& in) override { table_.exchange(number_, out, in); }

 private:
  Table& table_;
  std::uint32_t number_;
};

/// All that an outcome says.
std::string words_of(const Outcome& outcome) {
  std::string words = outcome.results.complete ? "" : "incomplete\n";
  for (const auto& metric : outcome.results.metrics)
    words += metric.name + " " + (metric.value ? to_string(*metric.value) : "none") + "\n";
  for (const auto& cable : outcome.cables)
    words += cable.name + " " + to_string(cable.busy_percent) + " " + to_string(cable.paused_percent) + " " +
             std::to_string(cable.peak) + " " + std::to_string(cable.dropped) + " " + std::to_string(cable.marked) +
             "\n";
  for (const auto& job : outcome.jobs)
    for (const auto& use : job)
      words += std::to_string(use.computing.count()) + " " + std::to_string(use.communicating.count()) + " " +
               std::to_string(use.hidden.count()) + " " + std::to_string(use.ended.time_since_epoch().count()) +
               (use.over ? " over\n" : "\n");
  for (const auto& sentence : outcome.said) words += sentence + "\n";
  return words + std::to_string(outcome.results.window.count());
}

std::string played_by(std::uint32_t count, const network_scenario::Loaded& loaded, const Options& options = {}) {
  Table table{count};
  std::string words;
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      ThreadRanks ranks{table, r};
      auto mine = options;
      mine.ranks = &ranks;
      const auto outcome = run(loaded, mine);
      if (r == 0 && outcome) words = words_of(*outcome);
    });
  threads.clear();
  return words;
}

/// Of sixteen ranks, by file: computing, and beside it collectives of all, of halves, and messages to the next rank.
std::map<std::string, std::string> traces() {
  std::map<std::string, std::string> files;
  for (int rank = 0; rank < 16; ++rank) {
    const auto next = std::to_string((rank + 1) % 16), before = std::to_string((rank + 15) % 16);
    const auto half = std::to_string(rank / 8);
    files["rank" + std::to_string(rank) + ".json"] = R"({ "nodes": [
      { "id": 1, "type": "COMP_NODE", "duration_micros": )" +
                                                     std::to_string(1 + rank % 3) + R"( },
      { "id": 2, "type": "COMM_COLL_NODE", "comm_size": 300000, "data_deps": [1] },
      { "id": 3, "type": "COMP_NODE", "duration_micros": 4, "data_deps": [1] },
      { "id": 4, "type": "COMM_SEND_NODE", "comm_dst": )" +
                                                     next + R"(, "comm_size": 20000, "data_deps": [3] },
      { "id": 5, "type": "COMM_RECV_NODE", "comm_src": )" +
                                                     before + R"(, "comm_size": 20000 },
      { "id": 6, "type": "COMM_COLL_NODE", "comm_type": "ALL_TO_ALL", "comm_size": 80000, "pg_name": "half)" +
                                                     half + R"(", "data_deps": [5] },
      { "id": 7, "type": "COMP_NODE", "duration_micros": 2, "is_cpu_op": true, "ctrl_deps": [2, 4, 6] }] })";
  }
  return files;
}

network_scenario::Loaded load(const std::string& text) {
  auto loaded = network_scenario::load_text(text, "test.json", scenario::in_memory(traces()));
  EXPECT_TRUE(loaded && *loaded) << text << (loaded ? scenario::lines_of(loaded->error()) : "");
  return loaded && *loaded ? std::move(**loaded) : network_scenario::Loaded{};
}

/// Sixteen hosts, on two switches with two lossy cables between them or on a generated network.
std::string random_network(const std::function<std::string(std::initializer_list<const char*>)>& one_of) {
  return one_of({R"("clos": { "racks": 4, "hosts": 4, "spines": 3 })", R"("fat_tree": { "ports": 4 })",
                 R"("clos": { "clusters": 2, "racks": 2, "hosts": 4, "spines": 2, "aggregations": 2 })",
                 R"("rail_optimised": { "servers": 4, "rails": 4, "spines": 2 })",
                 R"("dragonfly": { "groups": 4, "routers": 2, "hosts": 2 })",
                 R"("hosts": ["h0..h15"], "switches": ["rack0", "spine0"], "cables": [
                      { "from": "h0..h7", "to": "rack0", "rate": "100Gbps" }, { "from": "h8..h15", "to": "spine0", "rate": "100Gbps" },
                      { "from": "rack0", "to": "spine0", "rate": "200Gbps", "loss": 0.002 }])"});
}

/// Several kinds of traffic on a small network, with loss, failing cables, PFC, DCQCN and slow hosts.
std::string random_scenario(std::uint64_t seed) {
  Random random{seed, "ranks"};
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::string{words.begin()[random.below(words.size())]};
  };
  const auto network = random_network(one_of);
  std::string text = R"({ "network": { )" + network +
                     R"( }, "run": { "measure": "400us", "patience": "100us", "seed": )" + std::to_string(seed + 1) +
                     " }, ";
  text += R"("switches": { "path": ")" + one_of({"ecmp", "ecmp_qp", "pinned", "spray", "flowlet"}) +
          R"(", "flowlet_gap": "2us", "buffer": ")" + one_of({"600kB", "2MB", "32MB"}) +
          R"(", "convergence": "20us" }, )";
  if (network.find("rack") != std::string::npos && network.find("clusters") == std::string::npos &&
      random.below(2) == 0)
    text += R"("events": [{ "at": "30us", "from": "rack0", "to": "spine0" },
                          { "at": "120us", "from": "rack0", "to": "spine0", "up": true }], )";
  if (random.below(4) == 0)
    return text + R"("tcp": [{ "name": "t", "from": "h0..h7", "to": "h8..h15", "bytes": "200kB" },
                             { "name": "in", "from": ["h1", "h4", "h9", "h13"], "to": "h15" }] })";
  text += R"("nics": { "dcqcn": ")" + one_of({"off", "original", "vendor"}) + R"(", "recovery": ")" +
          one_of({"go_back_n", "selective_repeat"}) + R"(", "timeout": "100us", "mtu": )" + one_of({"1024", "4096"}) +
          R"(, "translations": )" + one_of({"0", "64"}) + R"(, "contexts": )" + one_of({"0", "64"}) + " }, ";
  text += one_of({"", R"("slow_hosts": [{ "hosts": "h5", "rate": "50Gbps" }], )"});
  if (random.below(2) == 0)
    text += R"("traces": [{ "name": "job", "file": "rank{rank}.json", "hosts": "h0..h15", "least_slice": "8KiB", )" +
            one_of({R"("all_reduce": "tree")", R"("qps": 2)", R"("qps": 3, "qp_use": "split")"}) +
            R"(, "clear_to_send": )" + one_of({"0", "0", "2"}) + " }], ";
  text +=
      R"("rdma": [{ "name": "incast", "from": ["h1", "h4", "h6", "h9", "h10", "h13"], "to": ")" +
      one_of({"h0", "h5", "h15"}) + R"(", "size": "64KiB", "operation": ")" + one_of({"write", "send", "read"}) +
      R"(", "registered": "1MiB", "outstanding": 4 }, { "name": "mice", "from": "h2", "to": "h14", "size": "2kB", "interval": "3us", "fresh": )" +
      one_of({"true", "false"}) + R"(, "priority": )" + one_of({"3", "4"}) + " }";
  if (random.below(2) == 0)
    text +=
        R"(, { "name": "datagrams", "from": "h0..h5", "to": ["h7", "h8", "h12"], "transport": "UD", "operation": "send",
                   "size": "1kB", "receives": 8, "receive_time": "1us" })";
  if (random.below(2) == 0)
    text +=
        R"(, { "name": "chance", "from": "h0..h15", "to": "h0..h15", "load": 20, "size": "20kB", "operation": "send" })";
  text += "], ";
  text += R"("collectives": [{ "name": "c", "hosts": "h0..h15", "bytes": "512KiB", )" +
          one_of({R"("kind": "all_to_all", "window": 3)", R"("kind": "all_gather")", R"("rings": 2)"}) +
          R"(, "qps": )" + one_of({"1", "4"}) + R"(, "qp_use": ")" + one_of({"round_robin", "split"}) +
          R"(", "clear_to_send": )" + one_of({"0", "2"}) + " }] }";
  return text;
}

TEST(Ranks, RandomScenariosHaveTheSameOutcomeWithOneTwoAndFourRanks) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const auto loaded = load(random_scenario(seed));
    const auto alone = run(loaded);
    ASSERT_TRUE(alone);
    for (const auto ranks : {1u, 2u, 4u})
      ASSERT_EQ(words_of(*alone), played_by(ranks, loaded)) << random_scenario(seed);
  }
}

TEST(Ranks, ServersThatStayWholeHaveTheSameOutcomeAndOthersAreRefused) {
  for (const std::string entry :
       {R"("hierarchical": true)", R"("kind": "all_to_all", "hierarchical": true, "token": "4KiB", "skew": 1)",
        R"("kind": "gather", "algorithm": "tree")", R"("buffers": { "size": "64KiB" }, "channels": 2, "qps": 2)"}) {
    const std::string text = R"({ "network": { "clos": { "racks": 4, "hosts": 4, "spines": 3 } },
      "servers": { "gpus": 2 }, "run": { "measure": "2ms" },
      "collectives": [{ "name": "c", "hosts": "h0..h15", "bytes": "1MiB", )" +
                             entry + " }] }";
    const auto loaded = load(text);
    const auto alone = run(loaded);
    ASSERT_TRUE(alone);
    for (const auto ranks : {1u, 2u, 4u}) EXPECT_EQ(words_of(*alone), played_by(ranks, loaded)) << text;
  }
  const auto split = load(R"({ "network": { "rail_optimised": { "servers": 4, "rails": 4, "spines": 2 } },
    "servers": { "gpus": 4 }, "collectives": [{ "hosts": "h0..h15", "hierarchical": true }] })");
  EXPECT_TRUE(run(split));
  EXPECT_EQ(played_by(2, split), "");
}

TEST(Ranks, HostsTlpByTlpHaveTheSameOutcomeWithOneTwoAndFourRanks) {
  scenario::LoadOptions options;
  options.search = {scenario::shipped_scenarios()};
  const auto loaded = network_scenario::load_text(R"({
    "network": { "clos": { "racks": 4, "hosts": 2, "spines": 2 } }, "switches": { "path": "ecmp_qp" },
    "nics": { "dcqcn": "vendor", "translations": 8, "contexts": 8 },
    "nodes": [{ "hosts": ["h0", "h3", "h5", "h6"], "scenario": "hosts/training_host", "level": "tlp" },
              { "hosts": ["h7", "h2"], "scenario": "hosts/training_host", "level": "tlp",
                "set": ["links.2.generation=4", "links.2.width=8"] },
              { "hosts": "h4", "scenario": "hosts/training_host", "set": ["links.3.from=sw1"] }],
    "rdma": [{ "name": "in", "from": ["h1", "h4", "h6"], "to": "h2", "size": "64KiB", "operation": "write" },
             { "name": "out", "from": "h2", "to": "h7", "size": "64KiB", "operation": "read", "outstanding": 2 },
             { "name": "datagrams", "from": ["h1", "h6"], "to": ["h0", "h2", "h4"], "size": "1kB",
               "operation": "send", "transport": "UD" }],
    "collectives": [{ "name": "c", "kind": "all_to_all", "hosts": "h0..h7", "bytes": "512KiB" }],
    "run": { "warmup": "20us", "measure": "100us", "patience": "30us" } })",
                                                  "test.json", options);
  ASSERT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  const auto alone = run(**loaded);
  ASSERT_TRUE(alone);
  const auto words = words_of(*alone);
  EXPECT_NE(words.find("TLP by TLP"), std::string::npos) << words;
  EXPECT_NE(words.find("in h2 link"), std::string::npos) << words;  // rank 0 of 4 has no such host
  for (const auto ranks : {1u, 2u, 4u}) EXPECT_EQ(words, played_by(ranks, **loaded)) << ranks;
}

TEST(Ranks, TcpIntoHostsTlpByTlpHasTheSameOutcomeWithOneTwoAndFourRanks) {
  scenario::LoadOptions options;
  options.search = {scenario::shipped_scenarios()};
  const auto loaded = network_scenario::load_text(R"({
    "network": { "clos": { "racks": 4, "hosts": 2, "spines": 2 } }, "tcp_stack": { "mtu": 8244 },
    "nodes": [{ "hosts": ["h0", "h3", "h5"], "scenario": "hosts/training_host", "level": "tlp",
                "set": ["links.3.generation=4", "links.3.width=8"] },
              { "hosts": "h6", "scenario": "hosts/training_host", "set": ["links.3.from=sw1"] }],
    "slow_hosts": [{ "hosts": "h2", "rate": "30Gbps" }],
    "tcp": [{ "name": "turn", "from": "h0..h7", "to": ["h3", "h2", "h5", "h6", "h7", "h0", "h1", "h4"], "bytes": "300kB" },
            { "name": "in", "from": ["h1", "h4"], "to": "h5" }],
    "run": { "measure": "150us", "patience": "30us" } })",
                                                  "test.json", options);
  ASSERT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  const auto alone = run(**loaded);
  ASSERT_TRUE(alone);
  EXPECT_NE(words_of(*alone).find("TLP by TLP"), std::string::npos);
  for (const auto ranks : {1u, 2u, 4u}) EXPECT_EQ(words_of(*alone), played_by(ranks, **loaded)) << ranks;
}

TEST(Ranks, ACircleOfPausesOverSeveralRanksIsFound) {
  const auto loaded = network_scenario::load(scenario::shipped_scenarios() / "roce" / "pause_deadlock.json");
  ASSERT_TRUE(loaded && *loaded);
  const auto words = played_by(3, **loaded);
  EXPECT_NE(words.find("network.deadlock 1\n"), std::string::npos) << words;
  const auto alone = run(**loaded);
  ASSERT_TRUE(alone);
  EXPECT_EQ(words_of(*alone), words);
}

TEST(Ranks, OneThatIsAskedToStopStopsAll) {
  const auto loaded = load(R"({ "network": { "clos": { "racks": 2, "hosts": 2, "spines": 1 } },
    "rdma": [{ "name": "w", "from": "h0", "to": "h3" }], "run": { "warmup": "0us", "measure": "1ms", "patience": "100us" } })");
  std::atomic<int> asked{0};
  const auto words = played_by(2, loaded, {.stop = [&] { return ++asked == 3; }});
  EXPECT_EQ(words.find("incomplete"), 0u);
  EXPECT_EQ(words.substr(words.rfind('\n') + 1), "200000000000");
}

}  // namespace
}  // namespace peerpath::network_run
