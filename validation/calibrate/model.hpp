// Predicts each point of a dataset from parameters. Reads, writes and both at once over the link are played on the
// fabric (play.hpp); what surrounds them (setup, queueing, limits of the host) are the closed forms in model.cpp.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "validation/calibrate/parameters.hpp"
#include "validation/calibrate/play.hpp"
#include "validation/compare/dataset.hpp"

namespace peerpath::calibrate {

/// Reads of host memory that a GPU has outstanding at a time, at most. No GPU seen gains from more warps than this.
inline constexpr std::int64_t most_outstanding_reads = 1024;
std::int64_t reads_at_a_time(const Parameters& p);

class Model {
 public:
  explicit Model(const compare::GpuFacts& gpu);

  /// Nanoseconds of one operation, as measured points have; nothing where the model says nothing about the experiment.
  std::optional<double> predict(const compare::Point& point, const Parameters& parameters);

  /// The law that predicts an experiment, in a few words; "" if none does.
  static std::string_view law(std::string_view experiment);

  // For the laws: what is played is remembered.
  double read_step(const Parameters& p, double latency, std::int64_t request, std::int64_t outstanding);
  double write_interval(const Parameters& p, std::int64_t request);
  BothWays both(const Parameters& p);
  /// ns for a byte by copy engine, to the device and from it; by kernels.
  double engine_to(const Parameters& p);
  double engine_from(const Parameters& p);
  double kernel_to(const Parameters& p);
  double kernel_from(const Parameters& p);
  double payload() const { return static_cast<double>(path_.max_payload.count()); }  ///< MPS, in bytes

 private:
  Path path(const Parameters& p) const;

  Path path_;
  using Key = std::tuple<int, double, double, double, double, std::int64_t, std::int64_t>;
  std::map<Key, BothWays> played_;
};

}  // namespace peerpath::calibrate
