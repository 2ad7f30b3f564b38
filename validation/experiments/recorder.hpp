// Writes a dataset: one JSON object a line, each flushed as soon as it is known, so that a crash keeps what was taken.
// The last line counts the points; without it the measurement was cut short.
#pragma once

#include <fstream>
#include <map>
#include <span>
#include <string>

#include "validation/experiments/experiment.hpp"

namespace peerpath::experiments {

inline constexpr int schema_version = 1;

class Recorder {
 public:
  /// False if the file cannot be written.
  bool open(const std::string& file) {
    out_.open(file, std::ios::trunc);
    return static_cast<bool>(out_);
  }

  /// `header` is a JSON object; the plan (experiments, how many points each) is part of it.
  void begin(const std::string& header) { line(header); }
  void point(const Experiment& experiment, const Settings& settings, const Measurement& measurement);
  /// A point that was planned and has no result.
  void failure(const Experiment& experiment, const Settings& settings, const std::string& reason);
  /// `spent`: seconds by experiment.
  void end(double seconds, const std::map<std::string, double>& spent);

  int points() const { return points_; }
  int failures() const { return failures_; }

 private:
  void line(const std::string& text) { out_ << text << std::endl; }

  std::ofstream out_;
  int number_ = 0, points_ = 0, failures_ = 0;
};

/// The value below which `share` of the sorted samples lie, between two of them if need be.
double quantile(std::span<const double> sorted, double share);

}  // namespace peerpath::experiments
