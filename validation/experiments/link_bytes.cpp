// Bytes that cross a GPU's link for the loads and stores of one kernel, by the counters that NVIDIA's profiler reads.
// For each point the profiler runs `peerpath-measure --launch`, which launches one kernel.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "validation/experiments/catalogue.hpp"
#include "validation/experiments/measure.hpp"

namespace peerpath::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t warps = 1024, steps = 64;  // 65,536 requests: what else crosses the link is below 1 % of them
constexpr std::array<const char*, 3> metrics{"pcie__read_bytes.sum", "pcie__write_bytes.sum", "gpu__time_duration.sum"};

/// What the profiler says of one kernel: bytes that the GPU received and sent, and nanoseconds.
using Counters = std::array<double, metrics.size()>;

std::string find_profiler() {
  std::istringstream folders{std::string{std::getenv("PATH") ? std::getenv("PATH") : ""} + ":/usr/local/cuda/bin"};
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = fs::path{folder} / "ncu"; ::access(file.c_str(), X_OK) == 0) return file;
  return "";
}

/// The measuring program, which stands beside this one.
fs::path launcher() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / "peerpath-measure";
}

std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const auto c : text) made += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return made + "'";
}

/// Fields of a line of the profiler's CSV; all are in quotes.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; (at = line.find('"', at)) != std::string::npos;) {
    const auto end = line.find('"', at + 1);
    if (end == std::string::npos) break;
    fields.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return fields;
}

/// A number that may be written 8,388,608.
double number_of(std::string text) {
  std::erase(text, ',');
  return std::strtod(text.c_str(), nullptr);
}

/// The counters of the one kernel; nothing if the profiler's output has none.
std::optional<Counters> read_counters(const std::string& output) {
  std::array<std::size_t, metrics.size()> columns{};
  bool named = false, units = false;
  std::istringstream lines{output};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('"')) continue;
    const auto fields = fields_of(line);
    if (!named) {
      for (std::size_t n = 0; n < metrics.size(); ++n) {
        const auto found = std::ranges::find(fields, metrics[n]);
        if (found == fields.end()) return std::nullopt;
        columns[n] = static_cast<std::size_t>(found - fields.begin());
      }
      named = true;
    } else if (!units) {
      units = true;  // base units, as was asked for
    } else {
      Counters counters{};
      for (std::size_t n = 0; n < metrics.size(); ++n)
        counters[n] = columns[n] < fields.size() ? number_of(fields[columns[n]]) : 0;
      return counters;
    }
  }
  return std::nullopt;
}

/// Runs a launch, KERNEL:REQUEST:WARPS:STEPS, under the profiler.
std::optional<Counters> profile(const Lab& lab, const std::string& launch, std::string& said) {
  std::string command = quoted(find_profiler()) +
                        " --csv --page raw --print-units base --clock-control none --cache-control none"
                        " --kernel-name 'regex:^(read_chains|write_places)$' --metrics ";
  for (std::size_t n = 0; n < metrics.size(); ++n) command += (n ? "," : "") + std::string{metrics[n]};
  command += " " + quoted(launcher()) + " --kernels " + quoted(lab.kernel_file);
  if (!lab.gpu_library.empty()) command += " --library " + quoted(lab.gpu_library);
  command += " --launch " + launch;
  auto* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return std::nullopt;
  char block[4096];
  for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) said.append(block, n);
  ::pclose(pipe);
  return read_counters(said);
}

std::string launch_text(bool store, std::int64_t request) {
  return std::string{store ? "write_places" : "read_chains"} + ":" + std::to_string(request) + ":" +
         std::to_string(warps) + ":" + std::to_string(steps);
}

std::string last_line_of(const std::string& text) {
  std::istringstream lines{text};
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

std::string missing_for_counters(const Lab& lab) {
  if (lab.gpu_provider != "cuda") return "the profiler of an NVIDIA GPU";
  if (find_profiler().empty()) return "ncu, NVIDIA's profiler, in PATH or /usr/local/cuda/bin";
  if (::geteuid() != 0) return "root, to whom alone the driver shows the counters";
  std::string said;
  return profile(lab, launch_text(false, 128), said) ? "" : "counters that ncu can read: " + last_line_of(said);
}

template <bool store>
Measurement count(Lab& lab, const Settings& settings) {
  std::string said;
  const auto counted = profile(lab, launch_text(store, settings.at("request")), said);
  if (!counted) throw gpu::Error{"ncu: " + last_line_of(said)};
  const auto [read, written, ns] = *counted;
  Measurement m;
  m.ns = {ns};
  m.bytes = warps * steps * settings.at("request");
  m.counted = {{"read_bytes", read}, {"write_bytes", written}};
  m.correct = read > 0 && written > 0;
  return m;
}

template <bool store>
std::vector<Settings> requests(const Lab&) {
  if constexpr (store)
    return {{{{"request", 4}}}, {{{"request", 16}}}, {{{"request", 32}}}, {{{"request", 64}}}, {{{"request", 128}}}};
  return {{{{"request", 32}}}, {{{"request", 64}}}, {{{"request", 128}}}};
}

}  // namespace

std::vector<Experiment> link_bytes() {
  return {
      {"link_bytes_read",
       "65,536 loads of host memory by one kernel: bytes that the GPU received and sent over its link, TLP headers "
       "among them, by its own counters",
       requests<false>, count<false>, "", missing_for_counters},
      {"link_bytes_write", "the same for stores, each to a 128 B line of its own", requests<true>, count<true>, "",
       missing_for_counters},
  };
}

}  // namespace peerpath::experiments
