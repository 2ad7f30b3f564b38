#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
  for (const auto* name : {"one_gpu", "two_gpus"}) {
    const auto dataset = load(name);
    EXPECT_LE(3 * compare::fitted_points(dataset).size(), dataset.points.size());
    EXPECT_GE(4 * compare::fitted_points(dataset).size(), dataset.points.size());
  }
}

// The discipline: whatever the points that are held out say, the fit comes to the same numbers, to the last bit.
TEST(Fit, NeverReadsWhatIsHeldOut) {
  const auto dataset = some_of(load("one_gpu"));
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
