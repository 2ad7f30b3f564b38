#include "tools/report/structure.hpp"

#include <gtest/gtest.h>

#include "tools/report/sample.hpp"

namespace peerpath::report {
namespace {

Json sample() { return Json::parse(sample_results); }

TEST(Structure, OfWhatARunWritesIsWhole) { EXPECT_EQ(damage(sample()), std::nullopt); }

TEST(Structure, LacksNothingThatThePageReads) {
  const auto whole = sample();
  for (const auto& [key, value] : whole.items()) {
    auto results = whole;
    results.erase(key);
    EXPECT_EQ(damage(results), "/" + key + " is missing");
    results[key] = key == "deadlock" ? Json(1) : Json(nullptr);
    EXPECT_NE(damage(results), std::nullopt) << key;
  }
}

TEST(Structure, OfANetworkHasSentencesAndCables) {
  auto results = sample();
  for (const char* key : {"conservation", "traffic", "utilisation", "ledger", "bar1", "faults", "aer"})
    results.erase(key);
  results["network"] = {
      {"said", {"busiest cable: a -> b"}},
      {"cables",
       {{{"name", "a -> b"}, {"busy_percent", 3.5}, {"paused_percent", 0}, {"queue_peak_bytes", 1}, {"dropped", 0}}}}};
  EXPECT_EQ(damage(results), std::nullopt);
  auto with_job = results;
  with_job["network"]["jobs"] = {{{"name", "dp"},
                                  {"ranks",
                                   {{{"host", "h0"},
                                     {"time_us", nullptr},
                                     {"computing_us", 3},
                                     {"communicating_us", 2},
                                     {"hidden_us", 1},
                                     {"exposed_us", 1}}}}}};
  EXPECT_EQ(damage(with_job), std::nullopt);
  with_job["network"]["jobs"][0]["ranks"][0].erase("hidden_us");
  EXPECT_EQ(damage(with_job), "/network/jobs/0/ranks/0/hidden_us is missing");
  auto without = results;
  without["network"].erase("said");
  EXPECT_EQ(damage(without), "/network/said is missing");
  results["network"]["cables"][0]["busy_percent"] = "high";
  EXPECT_EQ(damage(results), "/network/cables/0/busy_percent is not a number");
}

struct Change {
  const char *at, *value, *said;
};

class Changed : public testing::TestWithParam<Change> {};

TEST_P(Changed, IsFoundWithItsPlace) {
  auto results = sample();
  results[Json::json_pointer{GetParam().at}] = Json::parse(GetParam().value);
  EXPECT_EQ(damage(results), GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    Structure, Changed,
    testing::Values(
        Change{"/schema_version", "2", "/schema_version is not 1, the one that is known here"},
        Change{"/metrics/1", "[]", "/metrics/1 is not an object"},
        Change{"/metrics/1/value", "\"x\"", "/metrics/1/value is not a number or null"},
        Change{"/traffic/0/latency_fs", "{\"1\": -1}", "/traffic/0/latency_fs/1 is not a number of samples in a bin"},
        Change{"/traffic/0/latency_fs", "{\"a\": 1}", "/traffic/0/latency_fs/a is not a number of samples in a bin"},
        Change{"/ledger/2/rows/0/tlps", "1.5", "/ledger/2/rows/0/tlps is not an integer"},
        Change{"/ledger/2/direction", "\"left\"", "/ledger/2/direction is neither up nor down"},
        Change{"/ledger/3/farther", "\"nic0\"", "/ledger/3/farther has a link already"},
        Change{"/conservation/violations", "[1]", "/conservation/violations/0 is not a text"},
        Change{"/aer",
               "[{\"device\": \"a\", \"severity\": \"b\", \"error\": \"c\", \"count\": 1, \"first_ns\": null, "
               "\"header_log\": [1]}]",
               "/aer/0/header_log/0 is not a text"},
        Change{"/deadlock", "{\"found_ns\": 1, \"blocked\": [], \"cycle\": [0]}",
               "/deadlock/cycle/0 is not the number of a blocked queue"},
        Change{"/origins/run", "{}", "/origins: run is not where a value came from"}));

}  // namespace
}  // namespace peerpath::report
