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

  // For the laws: what is played is remembered. Reads are cut into requests of `max_request`.
  double read_step(const Parameters& p, double latency, std::int64_t size, std::int64_t outstanding,
                   std::int64_t max_request = 4096);
  double write_interval(const Parameters& p, std::int64_t request);
  /// Of what the host's cache holds, or of what it does not.
  BothWays both(const Parameters& p, bool cached = true);
  /// ns for a byte by copy engine, to the device and from it; by kernels.
  double engine_to(const Parameters& p);
  double engine_from(const Parameters& p);
  double kernel_to(const Parameters& p);
  double kernel_from(const Parameters& p);
  /// ns for a byte of completions of that size where nothing else is on the line.
  double completions_alone(const Parameters& p, double request) const;
  /// Bytes that have to be under way to the device for the link's rate. Many more would be asked for ahead of those of
  /// other streams.
  double in_flight(const Parameters& p);
  /// ns for a byte of either engine's copies while the other works.
  double both_to(const Parameters& p, bool cached = true);
  double both_from(const Parameters& p, bool cached = true);
  /// GB/s of copies by so many GPUs at once, `ways` 1 to the devices, 2 from them, 3 both. One has what its link
  /// carries; both ways see opposed() in model.cpp. Of several the host's limits set in gradually, as others use it as
  /// well: 1 / rate^s = 1 / links^s + 1 / host^s for those that read and write. Writes alone are posted and meet the
  /// limit later and more suddenly, at twice s. Twice is a choice: 1.5 to 4 predict the four-GPU sets as well. Reads
  /// alone wait for answers that take longer and longer, so that what is asked for at a time counts: the rate at which
  /// the bytes under way take engine_round_trip and that wait, but no more than the links'.
  double together(const Parameters& p, std::int64_t gpus, std::int64_t ways);
  /// GB/s of copies to `pairs` GPUs and from as many others at once, by the same limit of both ways: each has its
  /// link's rate, where one that does both reads at beside_writes_rate what no cache holds.
  double opposite(const Parameters& p, std::int64_t pairs);
  /// ns from a piece of a copy to the device being asked for until all of it is there, where nothing waits.
  double engine_round_trip(const Parameters& p);
  /// ns of a read while so many are outstanding and the line has room.
  static double read_latency(const Parameters& p, double outstanding);
  /// ns of a read when a GPU has so many outstanding that its link is full: what several wait near the host's limit is
  /// a multiple of it.
  static double read_round_trip(const Parameters& p);
  double payload() const { return static_cast<double>(path_.max_payload.count()); }  ///< MPS, in bytes

 private:
  Path path(const Parameters& p) const;

  Path path_;
  using Key = std::tuple<int, double, double, double, double, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, BothWays> played_;
};

}  // namespace peerpath::calibrate
