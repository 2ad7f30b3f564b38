#include "validation/calibrate/link_bytes.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace peerpath::calibrate {
namespace {

compare::Point counted(const std::string& experiment, std::int64_t request, double written, double read) {
  compare::Point point;
  point.experiment = experiment;
  point.settings["request"] = request;
  point.bytes = 65536 * request;
  point.counted = {{"write_bytes", 65536 * written}, {"read_bytes", 65536 * read}};
  return point;
}

std::string h200() {
  std::ifstream in{PEERPATH_DATA "/../../scenarios/hardware/h200_host.json"};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A read of 128 B: a request of 16 B, a completion of 12 + 128 B. A store of 32 B: 16 + 32 B.
TEST(LinkBytes, TheLedgerHasHeadersAndPayloadAsTheCountersDo) {
  compare::Dataset dataset;
  dataset.points = {counted("link_bytes_read", 128, 16, 140), counted("link_bytes_write", 32, 48, 1),
                    counted("link_bytes_read", 32, 17, 44)};
  const auto rows = compare_link_bytes(dataset, h200());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_LT(std::abs(rows[0].error()), most_link_bytes_error);
  EXPECT_LT(std::abs(rows[1].error()), most_link_bytes_error) << "what comes back beside stores is not of the stores";
  EXPECT_NEAR(rows[2].error(), 16.0 / 17 - 1, 0.001);
}

}  // namespace
}  // namespace peerpath::calibrate
