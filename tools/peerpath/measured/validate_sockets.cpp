#include "tools/peerpath/measured/validate_sockets.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "study/pcie/subject.hpp"
#include "study/run.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "validation/compare/in_parallel.hpp"

namespace peerpath::cli {
namespace {

using nlohmann::ordered_json;

constexpr double allowed_percent = 10;

bool is_echo(const compare::Point& point) { return point.experiment == "gpunet_echo"; }
bool is_played(const compare::Point& point) { return is_echo(point) || point.experiment == "gpunet_stream"; }

std::int64_t flows_of(const compare::Point& point) { return point.at(is_echo(point) ? "connections" : "streams"); }

/// As validation/gpunet/run sets a node up for that many connections.
ordered_json proxy_of(const compare::Point& point, const std::string& preset) {
  const bool echo = is_echo(point);
  const auto flows = flows_of(point);
  ordered_json proxy;
  if (!preset.empty()) proxy = {{"extends", std::filesystem::absolute(preset).string()}, {"at", "rc"}};
  proxy["ring"] = echo && flows > 1 ? "64KiB" : "1MiB";
  proxy["block"]["in_flight"] = !echo && flows <= 4 ? "32KiB" : "8KiB";
  return proxy;
}

/// Echo: of a round; stream: of a message of each stream.
double nanoseconds_of(const compare::Point& point, const study::Summary& outcome) {
  const auto value = [&](const std::string& metric) {
    const auto found = std::ranges::find(outcome.metrics, metric, &study::Summary::Measured::metric);
    return found == outcome.metrics.end() ? 0.0 : found->value.value_or(0);
  };
  if (is_echo(point)) return value("it.latency_p50_ns");
  const auto rate = value("it.goodput_gbps");
  return rate > 0 ? static_cast<double>(point.bytes) * 8 / rate : 0.0;
}

study::Summary played(const compare::Point& point, const std::string& preset) {
  scenario::LoadOptions options;
  options.search = search_folders();
  auto loaded = scenario::load_text(scenario_of(point, preset), "point.json", options);
  if (!loaded) return study::wrong(loaded.error());
  return study::run_summary(*study::pcie_subject(std::move(*loaded)));
}

std::string settings_text(const compare::Point& point) {
  std::string text;
  for (const auto& [name, value] : point.settings)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_if(const std::vector<SocketPoint>& points, const auto& counts) {
  std::vector<double> errors;
  for (const auto& point : points)
    if (counts(point)) errors.push_back(100 * std::abs(point.error()));
  return median_of(errors);
}

ordered_json to_json(const std::vector<SocketPoint>& points) {
  ordered_json document{{"median_error_percent", median_error(points)}, {"allowed_percent", allowed_percent}};
  for (const auto& point : points)
    document["points"].push_back({{"experiment", point.measured.experiment},
                                  {"settings", point.measured.settings},
                                  {"measured_ns", point.measured.median},
                                  {"played_ns", point.played_ns},
                                  {"fitted", point.fitted}});
  return document;
}

std::string to_text(const std::vector<SocketPoint>& points) {
  std::string text;
  for (const auto& point : points)
    text += fmt::format("{:<14} {:<44} {:>11.0f} ns, model {:>11.0f}, {:+6.1f} %{}\n", point.measured.experiment,
                        settings_text(point.measured), point.measured.median, point.played_ns, 100 * point.error(),
                        point.fitted ? " fitted" : "");
  for (const auto* kind : {"gpunet_echo", "gpunet_stream"})
    for (const std::int64_t tcp : {0, 1})
      text += fmt::format("{} over {}: median error {:.1f} %\n", kind, tcp == 0 ? "unix" : "tcp",
                          median_if(points, [&](const SocketPoint& point) {
                            const auto& p = point.measured;
                            return !point.fitted && p.experiment == kind && p.at("tcp") == tcp;
                          }));
  const auto others = std::ranges::count(points, false, &SocketPoint::fitted);
  const auto near = std::ranges::count_if(
      points, [](const auto& p) { return !p.fitted && std::abs(p.error()) * 100 <= allowed_percent; });
  return text + fmt::format("{} points not fitted: median error {:.1f} %, {} allowed; {} of them within {} %\n", others,
                            median_error(points), allowed_percent, near, allowed_percent);
}

}  // namespace

bool is_of_sockets(const compare::Dataset& dataset) {
  const auto is_copy = [](const compare::Point& point) { return point.experiment == "copy_to_device"; };
  return std::ranges::any_of(dataset.points, is_played) && std::ranges::none_of(dataset.points, is_copy);
}

std::string scenario_of(const compare::Point& point, const std::string& proxy) {
  const bool echo = is_echo(point);
  const auto flows = flows_of(point), bytes = point.at("bytes");
  auto first = proxy_of(point, proxy), second = first;
  const bool other = echo || (point.settings.contains("gpus") && point.at("gpus") == 2);
  first["gpu"] = "gpu0";
  second["gpu"] = other ? "gpu1" : "gpu0";
  const auto messages = echo ? 10 : std::clamp<std::int64_t>((std::int64_t{8} << 20) / (bytes * flows), 6, 200);
  const auto nanoseconds = [](double ns) { return fmt::format("{}ns", static_cast<std::int64_t>(ns) + 50000); };
  const auto count = static_cast<double>(messages);
  const ordered_json traffic{{"name", "it"},
                             {"kind", "gpunet"},
                             {"from", echo ? "dram" : "p0"},
                             {"to", "p1"},
                             {"pattern", echo ? "echo" : "stream"},
                             {"channel", point.at("tcp") != 0 ? "tcp" : "unix"},
                             {"flows", flows},
                             {"sizes", fmt::format("{}B", bytes)}};
  return ordered_json{{"extends", "gpunet_two_gpus.json"},
                      {"devices", {{"p0", first}, {"p1", second}}},
                      {"traffic", {traffic}},
                      {"run",
                       {{"warmup", nanoseconds(echo ? 4 * point.median : point.median * count / 3)},
                        {"measure", nanoseconds(count * point.median)},
                        {"seed", 1}}}}
      .dump();
}

double median_error(const std::vector<SocketPoint>& points) {
  return median_if(points, [](const SocketPoint& point) { return !point.fitted; });
}

tl::expected<std::vector<SocketPoint>, Problems> play_sockets(const compare::Dataset& dataset,
                                                              const std::string& preset) {
  std::vector<SocketPoint> points;
  for (const auto& point : dataset.points)
    if (is_played(point)) points.push_back({.measured = point, .fitted = points.size() % 3 == 1});
  std::vector<Problems> problems(points.size());
  compare::in_parallel(points.size(), [&](std::size_t n) {
    const auto outcome = played(points[n].measured, preset);
    points[n].played_ns = nanoseconds_of(points[n].measured, outcome);
    if (points[n].played_ns > 0) return;
    problems[n] = outcome.problems;
    problems[n].push_back({dataset.file, 0, 0, points[n].measured.experiment, "a point could not be run"});
  });
  for (const auto& wrong : problems)
    if (!wrong.empty()) return tl::unexpected{wrong};
  return points;
}

std::string group_of(const compare::Point& point) {
  return fmt::format("{}, {}", is_echo(point) ? "echo" : "stream", point.at("tcp") == 0 ? "unix" : "tcp");
}

Exit validate_sockets(const compare::Dataset& dataset, const std::string& preset, bool json, const Terminal& terminal) {
  terminal.say(fmt::format("running {} points as scenarios", std::ranges::count_if(dataset.points, is_played)));
  const auto points = play_sockets(dataset, preset);
  if (!points) {
    terminal.report(points.error());
    return Exit::wrong_input;
  }
  terminal.data(json ? to_json(*points).dump(2) + "\n" : to_text(*points));
  return median_error(*points) <= allowed_percent ? Exit::done : Exit::expectation_failed;
}

}  // namespace peerpath::cli
