// How far a measurement is and how long the rest takes, said every few seconds.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "validation/experiments/experiment.hpp"

namespace peerpath::experiments {

class Pace {
 public:
  explicit Pace(std::function<void(std::string_view)> say, double now);

  /// `points` of that experiment are to come, each in as many visits as it has passes.
  void expect(const Experiment& experiment, std::size_t points);
  /// A visit of a point began at `begin` and ended at `now`, in nanoseconds. Says how far it is, if that was not said
  /// for some seconds.
  void visited(const Experiment& experiment, double begin, double now);
  /// Seconds that the visits still to come will take.
  double left() const;
  /// Seconds spent, by experiment.
  const std::map<std::string, double>& spent() const { return spent_; }

 private:
  struct Part {
    std::size_t visits = 0, done = 0;
    double typical = 0, seconds = 0;  ///< of one visit on another machine, of all that were done here
  };
  std::function<void(std::string_view)> say_;
  double started_, said_;
  std::map<std::string, Part> parts_;
  std::map<std::string, double> spent_;
};

}  // namespace peerpath::experiments
