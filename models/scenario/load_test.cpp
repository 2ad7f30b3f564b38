#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "observe/metric_names.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::scenario {
namespace {

using testing::HasSubstr;

LoadOptions with(std::vector<std::string> overrides) {
  LoadOptions options;
  options.overrides = std::move(overrides);
  return options;
}

Loaded good(std::vector<std::string> overrides = {}) {
  auto loaded = load(testdata() / "good.json", with(std::move(overrides)));
  EXPECT_TRUE(loaded.has_value()) << lines_of(loaded.error());
  return loaded ? *loaded : Loaded{};
}

std::string problems(std::vector<std::string> overrides) {
  const auto loaded = load(testdata() / "good.json", with(std::move(overrides)));
  return loaded ? "" : lines_of(loaded.error());
}

template <class Config>
const Config& device(const Loaded& loaded, std::string_view name) {
  const auto it = std::ranges::find(loaded.scenario.devices, name, &Device::name);
  return std::get<Config>(it->config);
}

TEST(Load, FillsInWhatCanOnlyMeanOneThing) {
  const auto loaded = good();
  EXPECT_EQ(device<device::HostMemoryConfig>(loaded, "dram").at, "rc");
  EXPECT_EQ(loaded.scenario.traffic[0].as<traffic::Network>()->headers_to, "dram");
  EXPECT_EQ(loaded.origins.at("/traffic/0/headers_to").source, "the only host_memory");
  EXPECT_EQ(loaded.scenario.run.measure, 100us);
  EXPECT_EQ(loaded.scenario.run.warmup, scenario::Run{}.warmup);
}

TEST(Load, KnowsWhereEachValueCameFrom) {
  const auto loaded = good({"devices.nic0.queues=8"});
  EXPECT_EQ(to_string(loaded.origins.at("/run/measure")), "good.json:18:23");
  EXPECT_EQ(to_string(loaded.origins.at("/run/seed")), "default");
  EXPECT_EQ(to_string(loaded.origins.at("/devices/nic0/queues")), "--set");
  EXPECT_EQ(loaded.origins.at("/devices/nic0/rx_fifo").source, "assumed");
}

TEST(Load, EventsComeBeforeTheEndUnlessTrafficEndsByItself) {
  const std::string late = R"(events=[{"at": "5ms", "kind": "surprise_down", "device": "gpu0"}])";
  EXPECT_THAT(problems({late}), HasSubstr("after the end of the run"));
  EXPECT_EQ(problems({late, "traffic.rx.bytes=1MiB", "run.warmup=0ns"}), "");
}

TEST(Set, ReachesDevicesListsAndNestedStructs) {
  const auto loaded = good({"devices.nic0.function.tags=512", "traffic.rx.rate=100Gbps", "links.nic0-sw0.generation=4",
                            "traffic.0.sizes=[\"64B\", \"1KiB\"]", "run.seed=9"});
  EXPECT_EQ(device<device::NicConfig>(loaded, "nic0").function.tags, 512);
  EXPECT_EQ(loaded.scenario.traffic[0].rate, 100_Gbps);
  EXPECT_EQ(loaded.scenario.traffic[0].sizes, (std::vector{64_B, 1_KiB}));
  EXPECT_EQ(loaded.scenario.run.seed, 9);
  EXPECT_EQ(to_string(loaded.origins.at("/links/0/generation")), "default");
}

TEST(Set, OfNullTakesBackToTheDefault) {
  EXPECT_EQ(good({"run.measure=null"}).scenario.run.measure, scenario::Run{}.measure);
  EXPECT_EQ(good({"run.seed=7", "run.seed=null"}).scenario.run.seed, scenario::Run{}.seed);
}

TEST(Set, OfNullRemovesTheEntryOfAList) {
  const std::string second =
      R"(traffic=[{"name":"rx","kind":"receive","from":"nic0","to":"gpu0"},{"name":"tx","kind":"transmit","from":"nic0","to":"gpu0"}])";
  const auto kept = good({second, "traffic.rx=null", "traffic.1.rate=50Gbps", "expect.0=null"});
  ASSERT_EQ(kept.scenario.traffic.size(), 1U);  // and places count as before
  EXPECT_EQ(kept.scenario.traffic[0].name, "tx");
  EXPECT_EQ(kept.scenario.traffic[0].rate, 50_Gbps);
  EXPECT_TRUE(kept.scenario.expect.empty());
  EXPECT_THAT(problems({"traffic.ckpt=null"}), HasSubstr("there is no entry \"ckpt\""));
}

TEST(Set, IsCheckedLikeAFile) {
  EXPECT_EQ(problems({"devices.nic0.queues=0"}), "--set devices.nic0.queues: 0 is below the minimum, 1\n");
  EXPECT_EQ(problems({"devices.nic0.quues=8"}), "--set devices.nic0.quues: unknown key; did you mean \"queues\"?\n");
  EXPECT_EQ(problems({"devices.nic1.queues=8"}),
            "--set devices.nic1.queues: there is no device \"nic1\"; did you mean \"nic0\"?\n");
  EXPECT_EQ(problems({"devices.nic0.wire_rate=200"}),
            "--set devices.nic0.wire_rate: 200 has no unit; a rate is a text such as \"200Gbps\"\n");
  EXPECT_EQ(problems({"traffic.tx.rate=1Gbps"}),
            "--set traffic.tx.rate: there is no entry \"tx\"; did you mean \"rx\"?\n");
  EXPECT_EQ(problems({"links.*.width=1"}),
            "--set links.*.width: takes no wildcards; name one entry, or use sweep --vary\n");
  EXPECT_EQ(problems({"links.7.width=1"}), "--set links.7.width: there are 3 entries, counted from 0\n");
  EXPECT_EQ(problems({"run.measure.deep=1"}), "--set run.measure.deep: \"measure\" is \"100us\" and has no parts\n");
}

TEST(Set, NeedsAKeyAndAValue) {
  const std::string hint = ": is not key=value, such as devices.nic0.queues=8\n";
  EXPECT_EQ(problems({"run.seed"}), "--set run.seed" + hint);
  EXPECT_EQ(problems({"=4"}), "--set " + hint);
  EXPECT_THAT(problems({"run..seed=4"}), HasSubstr("has an empty part between dots"));
  EXPECT_THAT(problems({"run.seed=\xff"}), HasSubstr("is not UTF-8 text"));
}

constexpr const char* base = R"({"devices":{"rc":{"kind":"root_complex"},"dram":{"kind":"host_memory"},
  "card":{"kind":"dma_card","memory":"1MiB","source":{"memory":"its data sheet"}}},
  "links":[{"from":"rc","to":"card"}],"traffic":[{"kind":"write","from":"card","to":"dram"}]})";

TEST(Extends, MergesAndKeepsThePlacesOfEachFile) {
  const auto options = in_memory({{"lib/base.json", base}, {"set/card.json", R"({"outstanding":8,"memory":"2MiB"})"}});
  const auto loaded = load_text(R"({"extends":"../lib/base.json",
    "devices":{"card":{"extends":"card.json","memory":"4MiB"}}})",
                                "set/s.json", options);
  ASSERT_TRUE(loaded.has_value()) << lines_of(loaded.error());
  const auto& card = device<device::DmaCardConfig>(*loaded, "card");
  EXPECT_EQ(card.outstanding, 8);
  EXPECT_EQ(card.memory, 4_MiB);
  EXPECT_EQ(to_string(loaded->origins.at("/devices/card/outstanding")), "card.json:1:16");
  EXPECT_EQ(to_string(loaded->origins.at("/devices/dram/kind")), "../lib/base.json:1:57");
  EXPECT_EQ(loaded->origins.at("/devices/card/memory").source, "") << "the data sheet spoke of another value";
}

TEST(Extends, TakesSourcesAlong) {
  const auto loaded = load_text(R"({"extends":"base"})", "s.json", in_memory({{"base.json", base}}));
  ASSERT_TRUE(loaded.has_value()) << lines_of(loaded.error());
  EXPECT_EQ(loaded->origins.at("/devices/card/memory").source, "its data sheet");
  EXPECT_EQ(loaded->origins.at("/devices/card/memory").kind, Origin::Kind::preset);
}

TEST(Extends, LooksIntoTheSearchFolders) {
  auto options = in_memory({{"share/base.json", base}});
  options.search = {"share"};
  EXPECT_TRUE(load_text(R"({"extends":"base"})", "s.json", options).has_value());
  EXPECT_TRUE(load("base", options).has_value());
}

TEST(Name, IsThePathBelowScenarios) {
  const auto name_of = [](const char* file) {
    const auto loaded = load_text(base, file, in_memory({}));
    return loaded ? loaded->scenario.name : "";
  };
  EXPECT_EQ(name_of("/opt/scenarios/netgpu/zero_copy.json"), "netgpu/zero_copy");
  EXPECT_EQ(name_of("my/own.json"), "own");
}

TEST(Shipped, ScenariosAreRight) {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{shipped_scenarios()}) {
    const auto below = entry.path().lexically_relative(shipped_scenarios());
    if (entry.path().extension() != ".json" || *below.begin() == "hardware") continue;
    if (is_of_network(below)) continue;
    LoadOptions options;
    options.search = {shipped_scenarios()};
    const auto loaded = load(entry.path(), options);
    EXPECT_TRUE(loaded.has_value()) << lines_of(loaded.error());
    ++n;
  }
  EXPECT_GE(n, 4U);
}

TEST(Check, KnowsEveryMetricThatResultsWillHave) {
  auto scenario = good().scenario;
  scenario.expect.clear();
  for (const auto& metric : observe::expected_metrics(scenario)) {
    Expectation expectation;
    expectation.metric = metric.name;
    expectation.equals = 0;
    scenario.expect.push_back(expectation);
  }
  EXPECT_GT(scenario.expect.size(), 100U);
  EXPECT_EQ(lines_of(check(scenario)), "");
}

}  // namespace
}  // namespace peerpath::scenario
