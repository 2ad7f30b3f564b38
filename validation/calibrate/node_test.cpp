#include "validation/calibrate/node.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "validation/calibrate/preset.hpp"
#include "validation/calibrate/scenario_play.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::json;

struct Node {
  explicit Node(const std::string& calibration_name, const std::string& dataset_name)
      : dataset{*compare::load_dataset(PEERPATH_DATA "/h200/" + dataset_name + ".jsonl")},
        calibration{read(calibration_name)},
        preset{scenario_preset(calibration, dataset)} {}

  static Calibration read(const std::string& name) {
    const auto file = PEERPATH_DATA "/presets/" + name + ".json";
    std::ifstream in{file};
    return *read_calibration({std::istreambuf_iterator<char>{in}, {}}, file);
  }

  /// Relative difference of the scenario from the law.
  double from_law(const std::string& experiment, std::map<std::string, std::int64_t> settings, std::int64_t bytes = 0) {
    compare::Point point;
    point.experiment = experiment;
    point.settings = std::move(settings);
    point.bytes = bytes;
    Model model{dataset.gpus.front()};
    return *ScenarioPlay{preset}.play(point) / *model.predict(point, calibration.parameters) - 1;
  }

  compare::Dataset dataset;
  Calibration calibration;
  std::string preset;
};

Node& four() {
  static Node node{"h200_four_a", "four_gpus_a"};
  return node;
}

TEST(Node, HasEveryGpuAndEveryTermOfTheLaws) {
  const auto preset = json::parse(four().preset);
  for (const auto* gpu : {"gpu0", "gpu1", "gpu2", "gpu3"}) {
    ASSERT_TRUE(preset["devices"].contains(gpu)) << gpu;
    for (const auto* key : {"request", "write_rate", "setup_to", "setup_from_busy", "submit_inline", "hand_over_to",
                            "hand_over_from", "peer_rate"})
      EXPECT_TRUE(preset["devices"][gpu]["copies"].contains(key)) << key;
    for (const auto* key : {"read_latency", "read_queueing", "reads", "store_interval", "atomic_latency", "launch_to"})
      EXPECT_TRUE(preset["devices"][gpu]["kernels"].contains(key)) << key;
  }
  EXPECT_EQ(preset["links"].size(), 4u);
  EXPECT_TRUE(preset["links"][3].contains("update_fc_interval"));
  for (const auto* key : {"write_rates", "both_rates"})
    EXPECT_EQ(preset["devices"]["dram"]["shared"][key].size(), 4u) << key;
  EXPECT_EQ(preset["devices"]["dram"]["shared"]["opposite_rates"].size(), 2u);
  for (const auto* key :
       {"beside_writes", "cached", "cached_together", "read_limit", "read_sharpness", "read_round_trip"})
    EXPECT_TRUE(preset["devices"]["dram"]["shared"].contains(key));
}

TEST(Node, SaysWhatNoPointTold) {
  const Node one{"h200", "one_gpu"};
  EXPECT_NE(one.preset.find("fitted: read_service (not identifiable"), std::string::npos);
  EXPECT_FALSE(json::parse(one.preset)["devices"]["dram"]["shared"].contains("read_limit"));
  EXPECT_FALSE(json::parse(one.preset)["devices"].contains("gpu1"));
}

// A preset that drops a term of the laws is off by far more than that.
constexpr double close = 0.015;

TEST(Node, ScenariosCopyAsTheLawsSay) {
  for (const std::int64_t bytes : {64, 4096, 65536, 1 << 20})
    for (const auto* experiment : {"copy_to_device", "copy_from_device", "kernel_to_device", "kernel_from_device",
                                   "copy_once_to_device", "copy_once_from_device", "peer_copy"})
      EXPECT_NEAR(four().from_law(experiment, {{"bytes", bytes}}), 0, close) << experiment << " " << bytes;
}

TEST(Node, ScenariosCopyBothWaysAsTheLawsSay) {
  for (const std::int64_t bytes : {1 << 16, 1 << 18, 1 << 20, 1 << 24})
    for (const auto* experiment : {"copy_to_device_against", "copy_from_device_against"})
      EXPECT_NEAR(four().from_law(experiment, {{"bytes", bytes}}), 0, close) << experiment << " " << bytes;
}

TEST(Node, KernelsReadStoreAndAddAsTheLawsSay) {
  for (const std::int64_t outstanding : {1, 64, 1024, 4096}) {
    for (const std::int64_t request : {32, 128}) {
      EXPECT_NEAR(four().from_law("read_outstanding", {{"request", request}, {"outstanding", outstanding}}), 0, close)
          << request << " " << outstanding;
      EXPECT_NEAR(four().from_law("write_scattered", {{"request", request}, {"outstanding", outstanding}}), 0, close)
          << request << " " << outstanding;
    }
    EXPECT_NEAR(four().from_law("atomic_outstanding", {{"outstanding", outstanding}}), 0, close) << outstanding;
  }
  EXPECT_NEAR(four().from_law("flag_round_trip", {{"sleeping", 0}}), 0, close);
}

// Of 1024 reads 700 are served at a time: a step of all of them ends within a wave.
TEST(Node, ReadsInWavesTakeWhatTheLawsSay) {
  auto fewer = four();
  fewer.calibration.parameters.outstanding_limit = 700;
  fewer.preset = scenario_preset(fewer.calibration, fewer.dataset);
  for (const std::int64_t outstanding : {699, 701, 1024, 3072})
    EXPECT_NEAR(fewer.from_law("read_outstanding", {{"request", 32}, {"outstanding", outstanding}}), 0, 0.002)
        << outstanding;
}

TEST(Node, SeveralGpusReachWhatTheLawsSay) {
  constexpr std::int64_t each = 64 << 20;  // as measured: more than any cache holds
  for (const std::int64_t gpus : {1, 2, 4})
    for (const std::int64_t ways : {1, 2, 3})
      EXPECT_NEAR(
          four().from_law("copies_together", {{"gpus", gpus}, {"ways", ways}}, gpus * each * (ways == 3 ? 2 : 1)), 0,
          close)
          << gpus << " GPUs, ways " << ways;
  EXPECT_NEAR(four().from_law("staged", {{"chunk", 1 << 20}}, 32 << 20), 0, 2 * close);
}

}  // namespace
}  // namespace peerpath::calibrate
