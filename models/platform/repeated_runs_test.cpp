// Any number of runs, of different scenarios, in one process.
#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "observe/results_json.hpp"
#include "platform/test_run.hpp"

namespace peerpath::platform {
namespace {

/// Received payload goes to a GPU and is bounced to it; links and devices fail meanwhile.
scenario::Scenario received() {
  auto direct = traffic(scenario::traffic::Receive{}, "nic", "gpu", 100_Gbps), bounced = direct;
  bounced.name = "bounced";
  bounced.path = scenario::DataPath::bounce;
  bounced.rate = 20_Gbps;
  auto s = below_one_switch(direct);
  s.traffic.push_back(bounced);
  s.run.warmup = 1us;
  s.run.measure = 4us;
  s.events = {{.at = 2us, .what = scenario::event::Retrain{.width = 8, .outage = 500ns}, .device = "gpu"},
              {.at = 3us, .what = scenario::event::PortReset{.outage = 500ns}, .device = "gpu"}};
  return s;
}

/// What has its own engines writes, and what has none is made to.
scenario::Scenario written() {
  auto card = traffic(scenario::traffic::Write{}, "card", "gpu", 50_Gbps), gpu = card;
  gpu.name = "reads";
  gpu.what = scenario::traffic::Read{};
  gpu.from = "gpu";
  gpu.to = "dram";
  auto s = below_one_switch(card);
  s.traffic.push_back(gpu);
  s.run.warmup = 1us;
  s.run.measure = 4us;
  return s;
}

std::string results_text(const scenario::Scenario& s) {
  return observe::results_text(observe::results_document(results_of(s), {}));
}

/// Memory that is no file's: exact, where the count of resident pages in statm is not.
std::int64_t anonymous_kibibytes() {
  std::ifstream rollup{"/proc/self/smaps_rollup"};
  for (std::string word; rollup >> word;)
    if (std::int64_t amount = 0; word == "Anonymous:" && rollup >> amount) return amount;
  return 0;
}

TEST(RepeatedRuns, AThousandGiveTheSameBytesInTheSameMemory) {
  const auto first = received(), second = written();
  const auto wanted_first = results_text(first), wanted_second = results_text(second);
  EXPECT_NE(wanted_first, wanted_second);
  std::int64_t after_a_hundred = 0;
  for (int run = 0; run < 500; ++run) {
    if (run == 50) after_a_hundred = anonymous_kibibytes();
    ASSERT_EQ(results_text(first), wanted_first) << run;
    ASSERT_EQ(results_text(second), wanted_second) << run;
  }
  EXPECT_GT(after_a_hundred, 0);
  EXPECT_LE(anonymous_kibibytes(), after_a_hundred + 256);  // a run that kept 300 bytes would be over
}

TEST(RepeatedRuns, OfSeveralThreadsDoNotDisturbEachOther) {
  const std::array scenarios{received(), written()};
  const std::array wanted{results_text(scenarios[0]), results_text(scenarios[1])};
  std::array<int, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < right.size(); ++t)
      threads.emplace_back([&, t] {
        for (int run = 0; run < 10; ++run) right[t] += results_text(scenarios[t % 2]) == wanted[t % 2];
      });
  }
  EXPECT_EQ(right, (std::array{10, 10, 10, 10}));
}

}  // namespace
}  // namespace peerpath::platform
