#include "validation/calibrate/scenario_play.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "peerpath/base/fail.hpp"
#include "peerpath/platform/run.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::calibrate {
namespace {

using compare::Point;
using nlohmann::json;

constexpr std::int64_t together_ways_to = 1, together_ways_from = 2;
constexpr std::int64_t large_copy = std::int64_t{64} << 20;
constexpr auto as_fast_as_it_goes = "99Tbps";

/// Traffic, and which of what it transfers makes up the time that was measured.
struct Plan {
  json traffic = json::array();
  std::vector<std::size_t> measured{0};  ///< entries; where there are several, until the last of them
  std::size_t skipped = 0;               ///< transfers of each before the time counts; 0: from the start on
  std::size_t counted = 1;               ///< transfers whose time it is
  double each = 1;                       ///< of that time is one operation
};

std::string size_text(std::int64_t bytes) { return std::to_string(bytes) + "B"; }

json entry(const char* kind, const std::string& from, const std::string& to, std::int64_t bytes) {
  return {{"kind", kind}, {"from", from}, {"to", to}, {"sizes", size_text(bytes)}, {"rate", as_fast_as_it_goes}};
}

json copy_to(std::int64_t bytes, const std::string& gpu = "gpu0") { return entry("copy", "dram", gpu, bytes); }
json copy_from(std::int64_t bytes, const std::string& gpu = "gpu0") { return entry("copy", gpu, "dram", bytes); }

json accesses(const char* kind, std::int64_t bytes, std::int64_t outstanding, const std::string& gpu = "gpu0") {
  auto made = entry(kind, gpu, "dram", bytes);
  made["outstanding"] = outstanding;
  made["flows"] = 1;
  return made;
}

json with(json entry, const char* key, json value) {
  entry[key] = std::move(value);
  return entry;
}

/// The same on average, no two of them alike in a row: streams that would keep step lie to each other in every way.
json out_of_step(json entry, std::int64_t bytes) {
  constexpr std::int64_t unit = 256;
  const auto part = bytes / 4 / unit * unit;
  const auto other = [&](std::int64_t quarters) { return size_text(bytes + quarters * part / 4 / unit * unit); };
  entry["sizes"] = {other(-4), other(2), other(-3), other(0), other(3), other(-2), other(4)};
  return entry;
}

/// One copy after the other. Alone, each is like the first; beside another stream as many as it takes for their phase
/// not to be seen.
Plan copies(std::vector<json> traffic, std::int64_t bytes) {
  constexpr std::int64_t enough = std::int64_t{128} << 20;
  const auto alone = traffic.size() == 1 || bytes >= large_copy;
  Plan plan;
  for (auto& made : traffic) plan.traffic.push_back(std::move(made));
  if (alone) return plan;
  plan.skipped = 1;
  plan.counted = static_cast<std::size_t>(std::clamp<std::int64_t>(enough / bytes, 2, 96));
  plan.each = 1 / static_cast<double>(plan.counted);
  return plan;
}

/// Steps of chains, the slowest chain counting. Chains that begin together go on in waves, of as many reads as are
/// served at a time: whole waves tell the rate, whatever part of one a step of all chains ends in.
Plan chains(std::vector<json> traffic, std::int64_t outstanding, std::int64_t at_a_time) {
  constexpr std::size_t before = 2, waves = 4;
  const auto wave = static_cast<std::size_t>(std::min(outstanding, at_a_time));
  Plan plan;
  for (auto& made : traffic) plan.traffic.push_back(std::move(made));
  plan.skipped = before * wave;
  plan.counted = waves * wave;
  plan.each = static_cast<double>(outstanding) / static_cast<double>(plan.counted);
  return plan;
}

/// Beside other traffic a step is not like the one before: until the rate has settled, and then longer.
Plan chains_beside(std::vector<json> traffic, std::int64_t outstanding, std::int64_t settled = 20'000) {
  auto plan = chains(std::move(traffic), outstanding, outstanding);
  const auto steps = static_cast<std::size_t>(std::max<std::int64_t>(settled / outstanding, 4));
  plan.skipped = steps / 2 * static_cast<std::size_t>(outstanding);
  plan.counted = steps * static_cast<std::size_t>(outstanding);
  plan.each = 1 / static_cast<double>(steps);
  return plan;
}

/// Copies by several GPUs, or both ways by one, that begin together, until the last is over.
Plan together(std::int64_t gpus, std::int64_t to, std::int64_t from, std::int64_t bytes) {
  Plan plan;
  for (std::int64_t n = 0; n < gpus; ++n) {
    const auto gpu = "gpu" + std::to_string(n);
    if (to >> n & 1) plan.traffic.push_back(copy_to(bytes, gpu));
    if (from >> n & 1) plan.traffic.push_back(copy_from(bytes, gpu));
  }
  // One copy each: the one of two that is over first leaves the link to the other.
  if (gpus == 1)
    for (auto& made : plan.traffic) made["rate"] = std::to_string(std::max<std::int64_t>(8 * bytes, 1'000'000)) + "bps";
  plan.measured.clear();
  for (std::size_t n = 0; n < plan.traffic.size(); ++n) plan.measured.push_back(n);
  return plan;
}

/// GPUs that take part in what takes two at least.
std::int64_t gpus_of(const Point& point) { return point.settings.contains("gpus") ? point.at("gpus") : 2; }

json staged(const std::string& from, const std::string& to, std::int64_t bytes, std::int64_t chunk) {
  return with(with(entry("copy", from, to, bytes), "through", "dram"), "chunk", size_text(chunk));
}

Plan plan_of_copies(const Point& point) {
  const auto& name = point.experiment;
  const auto bytes = point.at("bytes");
  if (name == "copy_to_device") return copies({copy_to(bytes)}, bytes);
  if (name == "copy_from_device") return copies({copy_from(bytes)}, bytes);
  if (name == "copy_to_device_against") return copies({copy_to(bytes), out_of_step(copy_from(bytes), bytes)}, bytes);
  if (name == "copy_from_device_against") return copies({copy_from(bytes), out_of_step(copy_to(bytes), bytes)}, bytes);
  if (name == "kernel_to_device") return copies({with(copy_to(bytes), "by", "kernel")}, bytes);
  if (name == "kernel_from_device") return copies({with(copy_from(bytes), "by", "kernel")}, bytes);
  if (name == "copy_once_to_device") return copies({with(copy_to(bytes), "submission", "single")}, bytes);
  if (name == "copy_once_from_device") return copies({with(copy_from(bytes), "submission", "single")}, bytes);
  if (name == "peer_copy") return copies({entry("copy", "gpu0", "gpu1", bytes)}, bytes);
  return {};
}

Plan plan_of_accesses(const Point& point, std::int64_t reads_at_a_time) {
  const auto& name = point.experiment;
  const auto outstanding = point.at("outstanding");
  const auto request = point.settings.contains("request") ? point.at("request") : 128;
  const auto reads = accesses("read", request, outstanding);
  constexpr std::int64_t few_steps = 0;  // each waits for all the stores that are queued, so that a few are enough
  if (name == "read_outstanding" || name == "read_between") return chains({reads}, outstanding, reads_at_a_time);
  if (name == "write_scattered") {
    auto plan = chains({accesses("write", request, outstanding)}, outstanding, outstanding);
    plan.skipped = std::max<std::size_t>(
        plan.skipped, 4096 / static_cast<std::size_t>(outstanding) * static_cast<std::size_t>(outstanding));
    return plan;
  }
  if (name == "atomic_outstanding") return chains({accesses("atomic", 8, outstanding)}, outstanding, outstanding);
  if (name == "read_beside_copy_to") return chains_beside({reads, copy_to(large_copy)}, outstanding);
  if (name == "read_beside_copy_from") return chains_beside({reads, copy_from(large_copy)}, outstanding);
  if (name == "copy_to_beside_read") return copies({copy_to(point.bytes), reads}, point.bytes);
  if (name == "copy_from_beside_read") return copies({copy_from(point.bytes), reads}, point.bytes);
  const auto writes = accesses("write", 128, outstanding);
  if (name == "copy_to_beside_write") return copies({copy_to(point.bytes), writes}, point.bytes);
  if (name == "copy_from_beside_write") return copies({copy_from(point.bytes), writes}, point.bytes);
  if (name == "write_beside_copy_to") return chains_beside({writes, copy_to(large_copy)}, outstanding);
  if (name == "write_beside_copy_from") return chains_beside({writes, copy_from(large_copy)}, outstanding);
  if (name == "read_beside_write")
    return chains_beside({reads, accesses("write", 128, point.at("writers"))}, outstanding, few_steps);
  if (name == "reads_together") {
    std::vector<json> all{reads};
    for (std::int64_t n = 1; n < gpus_of(point); ++n)
      all.push_back(accesses("read", request, outstanding, "gpu" + std::to_string(n)));
    return chains_beside(std::move(all), outstanding);
  }
  return {};
}

/// Copies, reads and stores at once, the same on each GPU; `name` says which of them is timed.
Plan plan_of_load(const Point& point) {
  const auto& name = point.experiment;
  const auto readers = point.at("readers"), writers = point.at("writers"), ways = point.at("ways");
  std::vector<json> timed, beside;
  for (std::int64_t n = 0; n < point.at("gpus"); ++n) {
    const auto gpu = "gpu" + std::to_string(n);
    const auto add = [&](const char* experiment, json made) {
      (n == 0 && name == experiment ? timed : beside).push_back(std::move(made));
    };
    if (ways & together_ways_to) add("load_copy_to", copy_to(large_copy, gpu));
    if (ways & together_ways_from) add("load_copy_from", copy_from(large_copy, gpu));
    if (readers > 0) add("load_read", accesses("read", 128, readers, gpu));
    if (writers > 0) add("load_write", accesses("write", 128, writers, gpu));
  }
  timed.insert(timed.end(), beside.begin(), beside.end());
  if (name == "load_read") return chains_beside(std::move(timed), readers);
  if (name == "load_write") return chains_beside(std::move(timed), writers);
  return copies(std::move(timed), point.bytes);
}

/// `reads_at_a_time`: as many as the GPU of the preset has.
Plan plan_of(const Point& point, std::int64_t reads_at_a_time) {
  const auto& name = point.experiment;
  if (name == "read_latency") return chains({accesses("read", 32, 1)}, 1, 1);
  if (name == "flag_round_trip") {
    // Half a look before the one that sees it, and that look a way there and back: as the law has it.
    auto plan = chains({accesses("read", 32, 1)}, 1, 1);
    plan.each *= 1.5;
    return plan;
  }
  if (name == "copies_together") {
    const auto gpus = point.at("gpus"), ways = point.at("ways"), all = (std::int64_t{1} << gpus) - 1;
    const auto both = ways == (together_ways_to | together_ways_from);
    return together(gpus, ways & together_ways_to ? all : 0, ways & together_ways_from ? all : 0,
                    point.bytes / gpus / (both ? 2 : 1));
  }
  if (name == "opposite_copies") {
    const auto gpus = gpus_of(point), half = (std::int64_t{1} << gpus / 2) - 1;
    return together(gpus, half, half << gpus / 2, point.at("bytes"));
  }
  if (name == "staged") {
    Plan plan;
    plan.traffic.push_back(staged("gpu0", "gpu1", point.bytes, point.at("chunk")));
    return plan;
  }
  if (name == "staged_both_ways") {
    const auto gpus = gpus_of(point);
    Plan plan;
    plan.measured.clear();
    for (std::int64_t n = 0; n < gpus; ++n) {
      plan.measured.push_back(plan.traffic.size());
      plan.traffic.push_back(
          staged("gpu" + std::to_string(n), "gpu" + std::to_string(n ^ 1), point.bytes / gpus, point.at("chunk")));
    }
    return plan;
  }
  if (name.starts_with("load_")) return plan_of_load(point);
  if (point.settings.contains("outstanding")) return plan_of_accesses(point, reads_at_a_time);
  return point.settings.contains("bytes") ? plan_of_copies(point) : Plan{};
}

double nanoseconds(Duration time) { return static_cast<double>(femtoseconds(time)) / 1e6; }

}  // namespace

bool ScenarioPlay::plays(const Point& point) { return !plan_of(point, 1).traffic.empty(); }

std::optional<double> ScenarioPlay::play(const Point& point) const {
  auto document = json::parse(preset_);
  const auto plan = plan_of(point, document.at("devices").at("gpu0").at("kernels").at("reads"));
  if (plan.traffic.empty()) return std::nullopt;
  document["traffic"] = plan.traffic;
  document["run"] = {{"warmup", "0ns"}, {"measure", "10s"}, {"watchdog", "0ns"}};
  const auto loaded = scenario::load_text(document.dump(), "preset.json");
  require(loaded.has_value(), loaded ? "" : to_string(loaded.error().front()));
  std::vector<std::size_t> over(plan.traffic.size());
  std::vector<Instant> first(plan.traffic.size()), last(plan.traffic.size());
  std::size_t missing = plan.measured.size();
  platform::RunOptions options;
  options.transferred = [&](std::size_t entry, Instant, Instant end) {
    if (std::ranges::find(plan.measured, entry) == plan.measured.end()) return false;
    const auto number = ++over[entry];
    if (number == plan.skipped) first[entry] = end;
    if (number == plan.skipped + plan.counted) {
      last[entry] = end;
      --missing;
    }
    return missing == 0;
  };
  const auto results = platform::run(loaded->scenario, options);
  require(results.has_value(), results ? "" : to_string(results.error().front()));
  require(missing == 0, "a scenario that transfers something");
  Duration longest{};
  for (const auto entry : plan.measured) longest = std::max(longest, last[entry] - first[entry]);
  return nanoseconds(longest) * plan.each;
}

}  // namespace peerpath::calibrate
