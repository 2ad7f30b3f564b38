#include "tools/peerpath/run/run_sockets.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "peerpath/observe/finish.hpp"
#include "study/text/number_text.hpp"
#include "study/verdict.hpp"
#include "tools/peerpath/command_line/exit.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "validation/backends/gpu/kernel_files.hpp"
#include "validation/gpunet/gpu/gpu_node.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;
using scenario::SocketChannel;
using scenario::SocketPattern;
using scenario::traffic::Gpunet;

constexpr std::uint64_t streamed = std::uint64_t{100} << 20;  // bytes of all streams

/// A folder for sockets, for the time of a run.
class SocketFolder {
 public:
  SocketFolder() : path_{fs::temp_directory_path() / ("peerpath." + std::to_string(::getpid()))} {
    fs::create_directory(path_);
  }
  ~SocketFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;
  std::string file(std::size_t n) const { return path_ / std::to_string(n); }

 private:
  fs::path path_;
};

/// Its number in the list of GPUs.
int gpu_of(const scenario::Scenario& scenario, const std::string& proxy) {
  int number = 0;
  const auto served = std::ranges::find(scenario.devices, proxy, &scenario::Device::name);
  for (const auto& device : scenario.devices) {
    if (device.name == std::get<device::GpunetProxyConfig>(served->config).gpu) return number;
    number += std::holds_alternative<device::GpuConfig>(device.config) ? 1 : 0;
  }
  return 0;
}

Duration nanoseconds(double ns) { return Duration{static_cast<std::int64_t>(ns * 1e6)}; }

/// A few streams need larger blocks, as in the measured sets: each copies alone.
unsigned threads_of(const scenario::Traffic& t, unsigned threads) {
  return t.as<Gpunet>()->pattern == SocketPattern::stream && t.flows <= 4 ? 4 * threads : threads;
}

/// One entry into its result; how long it took, and whether all content was right.
std::pair<Duration, bool> play(const scenario::Scenario& s, const scenario::Traffic& t, const gpunet::run::Trial& trial,
                               int rounds, observe::TrafficResult& result) {
  const auto bytes = static_cast<std::uint64_t>(t.sizes.front().count());
  const auto flows = static_cast<unsigned>(t.flows);
  gpunet::run::Timing timing;
  Duration all{};
  if (t.as<Gpunet>()->pattern == SocketPattern::echo) {
    timing = flows == 1 ? gpunet::run::echo(trial, bytes, rounds) : gpunet::run::echo_many(trial, bytes, flows, rounds);
    for (const auto ns : timing.ns) {
      result.latency.record(nanoseconds(ns));
      all += nanoseconds(ns);
    }
    result.delivered_packets = static_cast<std::int64_t>(timing.ns.size() * flows);
    result.delivered_payload = Bytes{static_cast<std::int64_t>(bytes)} * result.delivered_packets;
  } else {
    const auto messages = std::max<std::uint64_t>(32, streamed / (bytes * flows));
    const bool one_gpu = gpu_of(s, t.from) == gpu_of(s, t.to);
    timing = gpunet::run::stream(trial, bytes, messages, flows, 1, 16, one_gpu ? 0 : 1);
    all = nanoseconds(timing.ns.front());
    result.delivered_packets = static_cast<std::int64_t>((messages - 1) * flows);
    result.delivered_payload = Bytes{static_cast<std::int64_t>(timing.bytes)};
  }
  return {all, timing.right};
}

}  // namespace

bool is_of_sockets(const scenario::Scenario& scenario) {
  return !scenario.traffic.empty() && std::ranges::all_of(scenario.traffic, &scenario::Traffic::is<Gpunet>);
}

std::vector<std::string> not_played(const scenario::Scenario& scenario) {
  std::vector<std::string> reasons;
  for (const auto& t : scenario.traffic) {
    const auto& what = *t.as<Gpunet>();
    const bool from_gpu = std::holds_alternative<device::GpunetProxyConfig>(
        std::ranges::find(scenario.devices, t.from, &scenario::Device::name)->config);
    if (what.channel == SocketChannel::rdma)
      reasons.push_back(t.name + ": validation/gpunet has the channels unix and tcp");
    else if (what.pattern == SocketPattern::face_server)
      reasons.push_back(t.name + ": needs a memcached; validation/gpunet/peers/faces.py starts one and runs it");
    else if (what.pattern == SocketPattern::mapreduce)
      reasons.push_back(t.name + ": `peerpath-gpunet words` and `clusters` are whole programs with work of their own");
    else if (what.pattern == SocketPattern::echo && from_gpu)
      reasons.push_back(t.name + ": an echo is measured from a program of the CPU, whose clock it has");
    else if (t.sizes.size() > 1)
      reasons.push_back(t.name + ": messages of several sizes in turn");
  }
  return reasons;
}

Played play_sockets(const scenario::Scenario& scenario, const gpunet::run::OpenNode& open, unsigned threads,
                    int rounds) {
  const SocketFolder folder;
  Played played;
  for (std::size_t n = 0; n < scenario.traffic.size(); ++n) {
    const auto& t = scenario.traffic[n];
    observe::TrafficResult result;
    result.name = t.name;
    result.kind = t.kind();
    result.path = name_of(t.path);
    result.from = t.from;
    result.to = t.to;
    const bool from_gpu = t.as<Gpunet>()->pattern == SocketPattern::stream;
    const auto first = gpu_of(scenario, from_gpu ? t.from : t.to), second = gpu_of(scenario, t.to);
    gpunet::run::Trial trial{
        [&](int which, const auto& size, const auto& proxy) { return open(which == 0 ? first : second, size, proxy); },
        threads_of(t, threads), gpunet::local_address(folder.file(n).c_str())};
    if (t.as<Gpunet>()->channel == SocketChannel::tcp)
      trial.address = gpunet::tcp_address(gpunet::loopback, static_cast<std::uint16_t>(23000 + 1024 * n));
    const auto [time, right] = play(scenario, t, trial, rounds, result);
    played.right = played.right && right;
    played.results.window = std::max(played.results.window, time);
    played.results.traffic.push_back(std::move(result));
  }
  auto& results = played.results;
  results.wanted_window = results.window;
  results.metrics = observe::derive_metrics(results);
  for (const auto& expectation : scenario.expect)
    if (auto verdict = observe::judge(results, expectation))
      results.expectations.push_back(*verdict);
    else
      played.unjudged.push_back(expectation.metric);
  return played;
}

Exit run_sockets(const scenario::Scenario& scenario, bool json, const Terminal& terminal) {
  namespace backend = gpu_backend;
  std::vector<std::unique_ptr<backend::Gpu>> gpus;
  std::string why;
  for (const auto vendor : {backend::Vendor::cuda, backend::Vendor::hip}) {
    const auto loaded = backend::load_driver(vendor);
    if (!loaded.driver || backend::count_gpus(*loaded.driver) == 0) continue;
    auto folders = backend::kernel_folders();
    for (const auto& folder : scenario_folders()) folders.push_back(folder.parent_path());
    const auto found = backend::find_kernels("gpunet", vendor, folders);
    const auto kernels = found.file.empty() ? std::nullopt : read_file(found.file);
    if (!kernels) why = found.file.empty() ? found.missing : found.file.string() + " cannot be read";
    if (!kernels || !gpus.empty()) continue;
    for (int n = 0; n < backend::count_gpus(*loaded.driver); ++n)
      gpus.push_back(std::make_unique<backend::Gpu>(*loaded.driver, vendor, n, *kernels));
  }
  if (gpus.empty()) return terminal.say("waived: " + why), Exit::waived;
  const auto open = [&](int which, const auto& size, const auto& proxy) {
    return gpunet::gpu::open_gpu(*gpus[static_cast<std::size_t>(which) % gpus.size()], size, proxy);
  };
  const auto wanted = std::ranges::count_if(
      scenario.devices, [](const auto& device) { return std::holds_alternative<device::GpuConfig>(device.config); });
  if (static_cast<std::size_t>(wanted) > gpus.size())
    terminal.say(fmt::format("{} GPUs in the scenario, {} on this machine: blocks of one represent several", wanted,
                             gpus.size()));
  const auto played = play_sockets(scenario, open, 128, 500);
  const auto& results = played.results;
  nlohmann::ordered_json document{{"on", "hardware"}, {"gpu", gpus.front()->name()}, {"right", played.right}};
  std::string table;
  for (const auto& metric : results.metrics) {
    if (!metric.value) continue;
    document["metrics"][metric.name] = metric.value->value();
    table += fmt::format("{:<32} {:>14} {}\n", metric.name, observe::to_string(*metric.value),
                         metric.unit == "1" ? "" : metric.unit);
  }
  for (const auto& one : results.expectations) {
    document["expectations"].push_back(
        {{"metric", one.metric}, {"wanted", one.wanted}, {"passed", one.verdict == observe::Verdict::ok}});
    table += fmt::format("{} {} {}: found {}\n", one.verdict == observe::Verdict::ok ? "passed" : "FAILED", one.metric,
                         one.wanted, study::found_text(one));
  }
  for (const auto& metric : played.unjudged) terminal.say(metric + ": supported by the model only");
  if (!played.right) terminal.error("the received content differs from the sent content");
  terminal.data(json ? document.dump(2) + "\n" : table);
  return played.right ? exit_of(study::verdict(results)) : Exit::expectation_failed;
}

}  // namespace peerpath::cli
