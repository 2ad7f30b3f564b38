// Reads a dataset of `peerpath measure`. What is not whole and consistent is refused, with file and line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/pcie/link_shape.hpp"

namespace peerpath::compare {

/// Times of one operation, in nanoseconds.
struct Point {
  int number = 0;  ///< from 1, in the order of measuring
  std::string experiment;
  std::map<std::string, std::int64_t> settings;
  double median = 0, p10 = 0, p90 = 0;
  std::int64_t bytes = 0;                   ///< payload of one operation; 0 if none
  std::map<std::string, double> counted{};  ///< by name; of link_bytes_read and _write: read_bytes and write_bytes

  std::int64_t at(const std::string& setting) const { return settings.at(setting); }
  double rate() const { return static_cast<double>(bytes) / median; }  ///< GB/s
};

/// What the GPU's function says of its link.
struct GpuFacts {
  std::string name;
  pcie::LinkShape link{5, 16};
  std::int64_t max_payload = 256, max_read_request = 512;
};

struct Dataset {
  std::string file, started, processor, kernel, driver, command;
  std::vector<GpuFacts> gpus;
  std::vector<Point> points;
  std::vector<std::string> failed;  ///< planned points without a result, and why
  /// Points that are not used, each with its line: a sample is the difference of two runs, and one was not above 0.
  Problems below_noise;
};

/// The schema that is read; the one that experiments::Recorder writes.
inline constexpr int dataset_schema = 1;

/// Refuses, each with its line: another schema version, what is not JSON, a number that is none or not finite, units
/// other than ns and GB/s, a rate that is not bytes by time (swapped units), quantiles out of order, a point missing or
/// twice, fewer points than planned, and a file without its last line.
tl::expected<Dataset, Problems> read_dataset(std::string_view text, const std::string& file);
tl::expected<Dataset, Problems> load_dataset(const std::string& file);

}  // namespace peerpath::compare
