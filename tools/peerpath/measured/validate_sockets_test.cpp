#include "tools/peerpath/measured/validate_sockets.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace peerpath::cli {
namespace {

compare::Point point(const std::string& experiment, std::map<std::string, std::int64_t> settings, double median) {
  compare::Point point;
  point.experiment = experiment;
  point.settings = std::move(settings);
  point.median = median;
  return point;
}

TEST(ValidateSockets, APointIsPlayedAsItWasMeasured) {
  const auto echo = nlohmann::json::parse(
      scenario_of(point("gpunet_echo", {{"bytes", 256}, {"connections", 16}, {"tcp", 1}}, 50000)));
  EXPECT_EQ(echo["traffic"][0]["channel"], "tcp");
  EXPECT_EQ(echo["traffic"][0]["flows"], 16);
  EXPECT_EQ(echo["devices"]["p1"]["ring"], "64KiB");
  const auto stream = nlohmann::json::parse(
      scenario_of(point("gpunet_stream", {{"bytes", 1 << 20}, {"streams", 1}, {"gpus", 1}, {"tcp", 0}}, 190000)));
  EXPECT_EQ(stream["traffic"][0]["from"], "p0");
  EXPECT_EQ(stream["devices"]["p1"]["gpu"], "gpu0");
  EXPECT_EQ(stream["devices"]["p1"]["block"]["in_flight"], "32KiB");
}

TEST(ValidateSockets, OnlyWhatWasNotFittedJudges) {
  const std::vector<SocketPoint> points{{point("gpunet_echo", {}, 100), 120, false},
                                        {point("gpunet_echo", {}, 100), 200, true},
                                        {point("gpunet_echo", {}, 100), 96, false}};
  EXPECT_NEAR(median_error(points), 12, 1e-9);
}

}  // namespace
}  // namespace peerpath::cli
