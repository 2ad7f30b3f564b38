#include "validation/experiments/pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace peerpath::experiments {
namespace {

constexpr double silence = 5e9;  // ns between two lines; a visit takes less than 5 s

/// Seconds of a point, all passes together, on machines with H100s and H200s and the default effort.
constexpr auto typical_seconds = std::to_array<std::pair<std::string_view, double>>({
    {"copies_together", 0.36},
    {"copy_from_beside_read", 1.1},
    {"copy_from_beside_write", 1.9},
    {"copy_from_device_against", 0.24},
    {"copy_to_beside_read", 1.2},
    {"copy_to_beside_write", 2.7},
    {"copy_to_device_against", 0.23},
    {"gpunet_stream", 0.9},
    {"link_bytes_read", 1.9},
    {"link_bytes_write", 1.9},
    {"load_copy_from", 4.5},
    {"load_copy_to", 3.7},
    {"load_read", 3.5},
    {"load_write", 0.65},
    {"read_beside_copy_from", 1.1},
    {"read_beside_copy_to", 1.2},
    {"opposite_copies", 0.55},
    {"read_beside_write", 2.6},
    {"read_between", 0.21},
    {"read_outstanding", 0.21},
    {"reads_together", 0.85},
    {"staged_both_ways", 0.38},
    {"write_beside_copy_from", 0.4},
    {"write_beside_copy_to", 0.4},
});
constexpr double of_others = 0.1;

double typical_of(std::string_view name) {
  const auto found = std::ranges::find(typical_seconds, name, &std::pair<std::string_view, double>::first);
  return found == typical_seconds.end() ? of_others : found->second;
}

std::string whole(double number) { return std::to_string(std::lround(number)); }

}  // namespace

Pace::Pace(std::function<void(std::string_view)> say, double now) : say_{std::move(say)}, started_{now}, said_{now} {}

void Pace::expect(const Experiment& experiment, std::size_t points) {
  auto& part = parts_[std::string{experiment.name}];
  part.visits = points * static_cast<std::size_t>(experiment.passes);
  part.typical = typical_of(experiment.name) / experiment.passes;
}

double Pace::left() const {
  double here = 0, there = 0;  // of the same visits
  for (const auto& [name, part] : parts_) {
    here += part.seconds;
    there += part.typical * static_cast<double>(part.done);
  }
  const auto slower = there > 0 ? here / there : 1;
  double seconds = 0;
  for (const auto& [name, part] : parts_) {
    const auto each = part.done > 0 ? part.seconds / static_cast<double>(part.done) : slower * part.typical;
    seconds += each * static_cast<double>(part.visits - part.done);
  }
  return seconds;
}

void Pace::visited(const Experiment& experiment, double begin, double now) {
  auto& part = parts_[std::string{experiment.name}];
  part.visits = std::max(part.visits, ++part.done);
  part.seconds += (now - begin) / 1e9;
  spent_[std::string{experiment.name}] = part.seconds;
  if (now - said_ < silence) return;
  said_ = now;
  say_(whole((now - started_) / 1e9) + " s, about " + whole(left()) + " s left; at " + std::string{experiment.name});
}

}  // namespace peerpath::experiments
