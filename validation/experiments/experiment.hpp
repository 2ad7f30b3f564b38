// What an experiment is: a list of settings, and a function that measures one of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validation/experiments/bench.hpp"

namespace peerpath::experiments {

/// What is varied, by name: {{"bytes", 4096}, {"outstanding", 16}}.
struct Settings {
  std::vector<std::pair<std::string_view, std::int64_t>> values;
  std::int64_t at(std::string_view name) const;
};

/// One point.
struct Measurement {
  std::vector<double> ns;  ///< of one operation, one entry a sample
  std::int64_t bytes = 0;  ///< payload that one operation moves; 0 if it moves none worth a rate
  bool correct = false;    ///< the data that was moved was checked and is right
  std::vector<std::pair<std::string_view, double>> counted{};  ///< what was counted on the way, by name
};

struct Experiment {
  std::string_view name;
  std::string_view isolates;                      ///< what its time is made of, and how the rest is kept out
  std::vector<Settings> (*plan)(const Lab& lab);  ///< empty where the machine has not what it needs
  Measurement (*measure)(Lab& lab, const Settings& settings);
  std::string_view needs = "";  ///< what is missing where the plan is empty
  /// What this machine lacks for it, found out by trying; "" if nothing. None: `needs` alone.
  std::string (*missing)(const Lab& lab) = nullptr;
  bool needs_gpu = true;
  /// In so many passes over all experiments that have several, a share of the samples each: half a minute in which the
  /// machine is disturbed does not make a median then.
  int passes = 1;
};

/// Powers of `factor` from `least` to `most` under one name.
std::vector<Settings> sweep(std::string_view name, std::int64_t least, std::int64_t most, int factor = 2);

}  // namespace peerpath::experiments
