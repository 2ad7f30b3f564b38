// Sockets of GPU programs, by validation/gpunet: what a CPU program sees at the other end, and GPU to GPU.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "validation/experiments/catalogue.hpp"
#include "validation/gpunet/gpu/gpu_node.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace peerpath::experiments {
namespace {

using namespace gpunet;

std::string kernel_file(const Lab& lab) {
  const auto folder = std::filesystem::path{lab.kernel_file}.parent_path();
  return folder / (lab.gpu_provider == "cuda" ? "gpunet.fatbin" : "gpunet.hip");
}

std::string missing_for_gpunet(const Lab& lab) {
  const auto& driver = lab.gpus.front()->driver();
  if (!driver.launch_cooperative || !driver.stream_query) return "a driver library that launches cooperative grids";
  return std::filesystem::exists(kernel_file(lab)) ? "" : "the kernel in " + kernel_file(lab);
}

/// GPUs with the kernel of gpunet, and addresses; for the time of one point.
class Sockets {
  static constexpr std::uint16_t first_port = 12000, last_port = 32000;  ///< below those that the kernel gives away

 public:
  Sockets(Lab& lab, bool tcp) : tcp_{tcp} {
    std::ifstream in{kernel_file(lab), std::ios::binary};
    std::ostringstream kernels;
    kernels << in.rdbuf();
    const auto vendor = *gpu::vendor_named(lab.gpu_provider);
    for (std::size_t n = 0; n < lab.gpus.size() && n < 2; ++n)
      gpus_.push_back(std::make_unique<gpu::Gpu>(lab.gpus[n]->driver(), vendor, lab.gpus[n]->ordinal(), kernels.str()));
  }
  ~Sockets() { std::filesystem::remove_all(folder_); }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  run::Trial trial(unsigned threads) {
    const auto open = [this](int which, const Dimensions& size, const ProxyOptions& proxy) {
      return gpunet::gpu::open_gpu(*gpus_[static_cast<std::size_t>(which)], size, proxy);
    };
    return {open, threads, address()};
  }
  Address address() {
    static std::uint16_t port = first_port;
    if (tcp_) return tcp_address(loopback, port = port < last_port ? port + 64 : first_port);
    return local_address((folder_ / std::to_string(++number_)).c_str());
  }

 private:
  static std::filesystem::path make_folder() {
    std::string name = std::filesystem::temp_directory_path() / "gpunet.XXXXXX";
    return ::mkdtemp(name.data());
  }

  bool tcp_;
  std::filesystem::path folder_ = make_folder();
  int number_ = 0;
  std::vector<std::unique_ptr<gpu::Gpu>> gpus_;
};

double each(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
}

/// Means of the proxies' stages, and how much they did at a time.
void count(Measurement& m, const Metrics& metrics) {
  if (metrics.sends == 0) return;
  m.counted = {{"sends", static_cast<double>(metrics.sends)},
               {"bytes_a_send", each(metrics.sent_bytes, metrics.sends)},
               {"entries_a_send", each(metrics.sent_entries, metrics.sends)},
               {"receives", static_cast<double>(metrics.receives)},
               {"bytes_a_receive", each(metrics.received_bytes, metrics.receives)},
               {"unseen_ns", each(metrics.unseen_ns, metrics.sends)},
               {"gather_ns", each(metrics.gather_ns, metrics.sends)},
               {"send_ns", each(metrics.send_ns, metrics.sends + metrics.stalls_for_channel)},
               {"receive_ns", each(metrics.receive_ns - metrics.empty_receive_ns, metrics.receives)},
               {"empty_receives", static_cast<double>(metrics.empty_receives)},
               {"empty_receive_ns", each(metrics.empty_receive_ns, metrics.empty_receives)},
               {"announce_ns", each(metrics.announce_ns, metrics.receives)},
               {"turn_ns", each(metrics.turn_ns, metrics.turns)},
               {"turns", static_cast<double>(metrics.turns)},
               {"sweeps", static_cast<double>(metrics.sweeps)},
               {"busy_sweeps", static_cast<double>(metrics.busy_sweeps)},
               {"stalls_for_entries", static_cast<double>(metrics.stalls_for_entries)},
               {"stalls_for_ring", static_cast<double>(metrics.stalls_for_ring)},
               {"stalls_for_channel", static_cast<double>(metrics.stalls_for_channel)}};
}

Measurement of(const run::Timing& timing, std::uint64_t bytes) {
  Measurement m;
  m.ns = timing.ns;
  m.bytes = static_cast<std::int64_t>(bytes);
  m.correct = timing.right;
  count(m, timing.proxy);
  return m;
}

/// Over all of the connections at once: the larger messages of many would fill every buffer on their way.
std::vector<Settings> echo_points(const Lab&) {
  std::vector<Settings> points;
  for (const std::int64_t tcp : {0, 1})
    for (const std::int64_t connections : {1, 4, 16, 64})
      for (std::int64_t bytes = 64; bytes <= (connections == 1 ? 1 << 20 : 1 << 17); bytes *= 4)
        points.push_back({{{"bytes", bytes}, {"connections", connections}, {"tcp", tcp}}});
  return points;
}

Measurement echo_with(Lab& lab, const Settings& settings) {
  Sockets sockets{lab, settings.at("tcp") != 0};
  const auto bytes = static_cast<std::uint64_t>(settings.at("bytes"));
  const auto connections = static_cast<unsigned>(settings.at("connections"));
  const auto timing = connections == 1 ? run::echo(sockets.trial(128), bytes, lab.effort.rounds)
                                       : run::echo_many(sockets.trial(128), bytes, connections, lab.effort.rounds / 5);
  return of(timing, bytes * connections);
}

std::vector<Settings> cpu_points(const Lab&) {
  std::vector<Settings> points;
  for (const std::int64_t tcp : {0, 1})
    for (std::int64_t bytes = 64; bytes <= 1 << 20; bytes *= 4) points.push_back({{{"bytes", bytes}, {"tcp", tcp}}});
  return points;
}

Measurement echo_without(Lab& lab, const Settings& settings) {
  Sockets sockets{lab, settings.at("tcp") != 0};
  const auto bytes = static_cast<std::uint64_t>(settings.at("bytes"));
  return of(run::echo_of_cpu(sockets.address(), bytes, lab.effort.rounds), bytes);
}

std::vector<Settings> stream_points(const Lab& lab) {
  std::vector<Settings> points;
  for (std::int64_t gpus = 1; gpus <= std::min<std::int64_t>(2, static_cast<std::int64_t>(lab.gpus.size())); ++gpus)
    for (const std::int64_t tcp : {0, 1})
      for (const std::int64_t streams : {1, 4, 16, 64})
        for (std::int64_t bytes = 64; bytes <= (streams <= 4 ? 1 << 20 : 1 << 16); bytes *= 4)
          points.push_back({{{"bytes", bytes}, {"streams", streams}, {"gpus", gpus}, {"tcp", tcp}}});
  return points;
}

/// One sample a run; ns of one message of each stream.
Measurement stream_between(Lab& lab, const Settings& settings) {
  Measurement m;
  m.correct = true;
  const auto bytes = static_cast<std::uint64_t>(settings.at("bytes"));
  const auto streams = static_cast<unsigned>(settings.at("streams"));
  const auto messages =
      std::clamp<std::uint64_t>((std::uint64_t{128} << 20) / (bytes * streams), 64, 20'000 / std::min(streams, 16u));
  Metrics proxies;
  for (int sample = 0; sample < 3; ++sample) {
    Sockets sockets{lab, settings.at("tcp") != 0};
    const auto timing = run::stream(sockets.trial(streams > 4 ? 128 : 512), bytes, messages, streams, 1, 16,
                                    static_cast<int>(settings.at("gpus")) - 1);
    m.ns.push_back(timing.ns.front() / static_cast<double>(messages - 1));
    m.correct = m.correct && timing.right;
    proxies.add(timing.proxy);
  }
  m.bytes = static_cast<std::int64_t>(bytes * streams);
  count(m, proxies);
  return m;
}

}  // namespace

std::vector<Experiment> gpu_sockets() {
  return {
      {"gpunet_echo",
       "a CPU program sends to blocks of a running kernel, each of which sends back what its connection brings: "
       "sockets, "
       "proxy, rings and polls",
       echo_points, echo_with, "", missing_for_gpunet},
      {"gpunet_cpu_echo", "the same with a thread of the CPU that never sleeps in place of the GPU: the sockets alone",
       cpu_points, echo_without, "", missing_for_gpunet},
      {"gpunet_stream",
       "messages from blocks of a GPU to other blocks by sockets, of the same GPU or of another one; two proxies of a "
       "thread each",
       stream_points, stream_between, "", missing_for_gpunet},
  };
}

}  // namespace peerpath::experiments
