#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/preset.hpp"

namespace peerpath::calibrate {
namespace {

compare::Dataset load(const char* name) {
  auto dataset = compare::load_dataset(PEERPATH_DATA "/h200/" + std::string{name} + ".jsonl");
  if (!dataset) throw std::runtime_error{to_string(dataset.error().front())};
  return *dataset;
}

/// A part of a dataset that is fitted in a second.
compare::Dataset some_of(compare::Dataset dataset) {
  const std::set<std::string> kept{"copy_from_device", "write_scattered", "atomic_outstanding", "doorbell"};
  std::erase_if(dataset.points, [&](const compare::Point& point) { return !kept.contains(point.experiment); });
  return dataset;
}

TEST(Split, AtMostAThirdIsFitted) {
  for (const auto* name : {"one_gpu", "two_gpus_b", "four_gpus_a", "four_gpus_b"}) {
    const auto dataset = load(name);
    EXPECT_LE(3 * compare::fitted_points(dataset).size(), dataset.points.size());
    EXPECT_GE(4 * compare::fitted_points(dataset).size(), dataset.points.size());
  }
}

/// Fits a dataset as it is, and with everything that is held out made nonsense: wants the same to the last bit.
void expect_same_whatever_is_held_out(const compare::Dataset& dataset) {
  const auto fitted = compare::fitted_points(dataset);
  const auto is_seen = [&](const compare::Point& point) {
    return std::ranges::any_of(fitted, [&](const compare::Point& seen) { return seen.number == point.number; });
  };
  auto poisoned = dataset;
  for (auto& point : poisoned.points)
    if (!is_seen(point)) {
      point.median = std::numeric_limits<double>::quiet_NaN();
      point.p10 = point.p90 = -1;
      point.bytes = -7;
    }
  const auto clean_fit = fit(dataset.gpus.front(), fitted);
  const auto poisoned_fit = fit(poisoned.gpus.front(), compare::fitted_points(poisoned));
  for (const auto& parameter : varied)
    EXPECT_EQ(clean_fit.parameters.*parameter.member, poisoned_fit.parameters.*parameter.member) << parameter.name;
  EXPECT_EQ(calibration_json(clean_fit, dataset), calibration_json(poisoned_fit, poisoned));
}

TEST(Fit, NeverReadsWhatIsHeldOut) { expect_same_whatever_is_held_out(some_of(load("one_gpu"))); }

compare::Dataset contention_of_four(const char* name) {
  auto dataset = load(name);
  std::erase_if(dataset.points, [](const compare::Point& point) {
    return point.experiment != compare::together && point.experiment != "copy_to_device" &&
           point.experiment != "copy_from_device";
  });
  return dataset;
}

TEST(Fit, NeverReadsWhatIsHeldOutOfFourGpus) { expect_same_whatever_is_held_out(contention_of_four("four_gpus_a")); }

TEST(Contention, LawComesBackFromPointsThatItMade) {
  auto dataset = contention_of_four("four_gpus_a");
  Parameters truth;
  truth.host_read_rate = 190;
  truth.host_write_rate = 140;
  truth.host_both_rate = 170;
  truth.host_sharpness = 3;
  Model model{dataset.gpus.front()};
  for (auto& point : dataset.points) point.median = *model.predict(point, truth);
  const auto found = fit(dataset.gpus.front(), compare::fitted_points(dataset));
  const auto contention = contention_of(compare::curves_of(dataset), model, found.parameters);
  EXPECT_EQ(contention.fitted(), 4u);
  EXPECT_EQ(contention.points(), 9u);
  EXPECT_LT(contention.worst(), 0.02);
}

TEST(Contention, OfOneGpuThereIsNone) {
  const auto dataset = load("one_gpu");
  Model model{dataset.gpus.front()};
  EXPECT_TRUE(contention_of(compare::curves_of(dataset), model, {}).rows.empty());
  EXPECT_EQ(to_text(Contention{}), "");
}

TEST(Contention, FailsByWhatCountsAndWasNotFitted) {
  Contention contention{{{1, 1, 100, 105, false}, {3, 1, 100, 150, false}, {4, 1, 100, 150, true}}};
  EXPECT_NEAR(contention.worst(), 0.05, 1e-12);
  EXPECT_TRUE(contention.passed());
  contention.rows.front().predicted = 111;
  EXPECT_FALSE(contention.passed());
}

// Both machines, with the calibrations that are kept.
TEST(Contention, OfTheMachinesMeasuredIsWithinTenPercent) {
  for (const std::string machine : {"a", "b"}) {
    const auto file = PEERPATH_DATA "/presets/h200_four_" + machine + ".json";
    std::ifstream in{file};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto calibration = read_calibration(text, file);
    ASSERT_TRUE(calibration) << to_string(calibration.error().front());
    const auto assessment = assess(load(("four_gpus_" + machine).c_str()), *calibration);
    EXPECT_EQ(assessment.contention.points(), 9u);
    EXPECT_LE(assessment.contention.fitted(), 4u);
    EXPECT_LE(assessment.contention.worst(), 0.10) << machine;
  }
}

// Parameters of one machine hold or do not hold for another, none of whose points they have seen.
TEST(Assessment, CountsAsFittedWhatTheCalibrationWasFittedTo) {
  const auto file = PEERPATH_DATA "/presets/h200_four_a.json";
  std::ifstream in{file};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto calibration = read_calibration(text, file);
  ASSERT_TRUE(calibration);
  const auto own = assess(load("four_gpus_a"), *calibration), other = assess(load("four_gpus_b"), *calibration);
  EXPECT_EQ(own.fitted, calibration->points);
  EXPECT_NE(to_text(own).find("points measured, 81 fitted by that calibration (third"), std::string::npos);
  EXPECT_EQ(other.fitted, 0u);
  EXPECT_EQ(other.contention.fitted(), 0u);
  EXPECT_NE(to_text(other).find("points measured, none fitted, "), std::string::npos);
  EXPECT_NE(to_json(other).find("\"fitted_points\": 0"), std::string::npos);
  EXPECT_GT(other.score.points, own.score.points);
  EXPECT_EQ(to_text(other).find(" points fitted, root mean"), std::string::npos);
}

TEST(Fit, FindsTheParametersThatMadeThePoints) {
  auto dataset = some_of(load("one_gpu"));
  Parameters truth;
  truth.setup_from = 1500;
  truth.engine_write_rate = 40;
  truth.store_interval = 31;
  truth.partial_write_service = 2.2;
  truth.atomic_latency = 1100;
  truth.atomic_service = 2.7;
  Model model{dataset.gpus.front()};
  std::erase_if(dataset.points, [](const compare::Point& point) { return Model::law(point.experiment).empty(); });
  for (auto& point : dataset.points) point.median = *model.predict(point, truth);
  const auto found = fit(dataset.gpus.front(), compare::fitted_points(dataset)).parameters;
  EXPECT_NEAR(found.setup_from, truth.setup_from, 15);
  EXPECT_NEAR(found.engine_write_rate, truth.engine_write_rate, 0.4);
  EXPECT_NEAR(found.store_interval, truth.store_interval, 0.5);
  EXPECT_NEAR(found.partial_write_service, truth.partial_write_service, 0.03);
  EXPECT_NEAR(found.atomic_latency, truth.atomic_latency, 11);
  EXPECT_NEAR(found.atomic_service, truth.atomic_service, 0.03);
}

TEST(Fit, SaysWhatThePointsDoNotTell) {
  const auto dataset = some_of(load("one_gpu"));
  const auto found = fit(dataset.gpus.front(), compare::fitted_points(dataset));
  const auto estimate = [&](std::string_view name) {
    return *std::ranges::find(found.estimates, name, &Estimate::name);
  };
  EXPECT_TRUE(estimate("atomic_latency").identifiable);
  EXPECT_LT(estimate("atomic_latency").low, estimate("atomic_latency").value);
  for (const auto* name : {"peer_rate", "host_read_rate", "submit_small", "outstanding_limit"})
    EXPECT_FALSE(estimate(name).identifiable) << name;
}

TEST(Preset, IsReadBackAsItWas) {
  const auto dataset = some_of(load("one_gpu"));
  const auto found = fit(dataset.gpus.front(), compare::fitted_points(dataset));
  const auto text = calibration_json(found, dataset);
  const auto read = read_calibration(text, "c.json");
  ASSERT_TRUE(read) << to_string(read.error().front());
  EXPECT_EQ(calibration_json(*read, dataset), text);
  EXPECT_FALSE(read_calibration("{}", "c.json"));
  EXPECT_FALSE(read_calibration(R"({"peerpath_calibration":1,"parameters":{}})", "c.json"));
  auto other = text;
  other.replace(other.find("\"setup_to\""), 10, "\"shared_to\"");
  const auto refused = read_calibration(other, "c.json");
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().size(), 1u);
  EXPECT_EQ(to_string(refused.error().front()),
            "c.json: was written for other parameters (setup_to is missing): fit the dataset again with `peerpath "
            "calibrate DATASET -o FILE`");
}

TEST(Score, CountsWhatIsHeldOutOnly) {
  CurveRows curve{"c", "bytes", "law", {}};
  for (int n = 0; n < 20; ++n) curve.rows.push_back({n, 100, 101, 99, 102, 0, false});
  curve.rows.push_back({20, 100, 500, 99, 102, 0, true});
  auto score = score_of({curve});
  EXPECT_EQ(score.points, 20u);
  EXPECT_NEAR(score.worst, 0.01, 1e-9);
  for (int n = 0; n < 2; ++n) curve.rows.push_back({30 + n, 100, 150, 99, 102, 0, false});
  score = score_of({curve});
  EXPECT_NEAR(score.p95, 0.5, 1e-9);
  EXPECT_NEAR(score.median, 0.01, 1e-9);
  EXPECT_EQ(score.within_spread, 20u);
}

}  // namespace
}  // namespace peerpath::calibrate
