// peerpath-gpunet: runs the applications and trials of gpunet on GPUs, or on CPU threads in place of them. A line of
// JSON for each; exit 1 if any content was wrong, 3 if there is no GPU.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "validation/gpunet/gpu/gpu_node.hpp"
#include "validation/gpunet/programs/campaign.hpp"
#include "validation/gpunet/run/mapreduce.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::gpunet;

constexpr const char* help =
    "usage: peerpath-gpunet [OPTION ...] TRIAL ...\n"
    "TRIAL: echo, echo-many, stream, words, clusters, programs (against plain sockets), serve-echo, serve-faces,\n"
    "       client (on a GPU: a kernel of one's own, with the address that it shall connect to)\n"
    "  --on cpu|gpu       where the kernels run (cpu)     --kernels FILE     what nvcc or hipcc made of gpu/kernel.cu\n"
    "  --backend cuda|hip (cuda)                          --library FILE     of the driver\n"
    "  --nodes N          GPUs to use, 1 or 2 (1)         --threads N        of a block (128; on a CPU 2)\n"
    "  --blocks N         side by side (1)                --bytes N          of a message, or of the text\n"
    "  --rounds N         or messages (1000)              --programs N       random ones (200)\n"
    "  --seed N           of the first (1)                --seconds N        a server runs (10)\n"
    "  --tcp PORT         of 127.0.0.1, in place of UNIX sockets; a server's clients use it as well\n"
    "  --path PATH        of a server's UNIX socket       --memcached PORT   of 127.0.0.1\n"
    "  --write FILE       the text and the counts, of words\n"
    "  --kernel NAME      of client (run_client)          --proxies N        threads of each proxy, of stream (1)\n"
    "  --check-every N    messages of a stream, of which one is looked at (1)\n";

struct Options {
  bool on_gpu = false;
  gpu_backend::Vendor vendor = gpu_backend::Vendor::cuda;
  std::string kernels, library, path, write, kernel = "run_client";
  int nodes = 1, rounds = 1000, programs = 200;
  unsigned proxies = 1, check_every = 1;
  unsigned threads = 0, blocks = 1;
  std::uint64_t bytes = 64, seed = 1;
  double seconds = 10;
  std::uint16_t tcp = 0, memcached = 11211;
  std::vector<std::string> trials;
};

/// "" or the complaint.
std::string read_options(int argc, char** argv, Options& o) {
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];
    if (word.rfind("--", 0) != 0) {
      o.trials.push_back(word);
      continue;
    }
    if (n + 1 == argc) return "'" + word + "' is unknown or lacks its value";
    const std::string value = argv[++n];
    const auto number = std::strtoull(value.c_str(), nullptr, 10);
    if (word == "--on") {
      if (value != "cpu" && value != "gpu") return "--on takes cpu or gpu, not '" + value + "'";
      o.on_gpu = value == "gpu";
    } else if (word == "--backend") {
      const auto vendor = gpu_backend::vendor_named(value);
      if (!vendor) return "--backend takes cuda or hip, not '" + value + "'";
      o.vendor = *vendor;
    } else if (word == "--kernels")
      o.kernels = value;
    else if (word == "--library")
      o.library = value;
    else if (word == "--path")
      o.path = value;
    else if (word == "--write")
      o.write = value;
    else if (word == "--kernel")
      o.kernel = value;
    else if (word == "--nodes")
      o.nodes = static_cast<int>(number);
    else if (word == "--rounds")
      o.rounds = static_cast<int>(number);
    else if (word == "--programs")
      o.programs = static_cast<int>(number);
    else if (word == "--threads")
      o.threads = static_cast<unsigned>(number);
    else if (word == "--blocks")
      o.blocks = static_cast<unsigned>(number);
    else if (word == "--bytes")
      o.bytes = number;
    else if (word == "--proxies")
      o.proxies = static_cast<unsigned>(number);
    else if (word == "--check-every")
      o.check_every = static_cast<unsigned>(number ? number : 1);
    else if (word == "--seed")
      o.seed = number;
    else if (word == "--seconds")
      o.seconds = std::strtod(value.c_str(), nullptr);
    else if (word == "--tcp")
      o.tcp = static_cast<std::uint16_t>(number);
    else if (word == "--memcached")
      o.memcached = static_cast<std::uint16_t>(number);
    else
      return "'" + word + "' is unknown";
  }
  if (o.trials.empty()) return "names no trial";
  if (o.threads == 0) o.threads = o.on_gpu ? 128 : 2;
  return "";
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

class Runner {
 public:
  explicit Runner(const Options& options) : o_{options}, folder_{std::filesystem::temp_directory_path()} {
    folder_ /= "gpunet." + std::to_string(::getpid());
    std::filesystem::create_directory(folder_);
  }
  ~Runner() { std::filesystem::remove_all(folder_); }

  /// Why there is no GPU, or "".
  std::string find_gpus() {
    const auto loaded = gpu_backend::load_driver(o_.vendor, o_.library);
    if (!loaded.driver) return loaded.missing;
    const int count = gpu_backend::count_gpus(*loaded.driver);
    if (count == 0) return "the driver finds no GPU";
    std::ifstream in{o_.kernels, std::ios::binary};
    std::ostringstream kernels;
    kernels << in.rdbuf();
    if (kernels.str().empty()) return "no kernels in '" + o_.kernels + "'";
    for (int n = 0; n < std::min(count, 2); ++n)
      gpus_.push_back(std::make_unique<gpu_backend::Gpu>(*loaded.driver, o_.vendor, n, kernels.str()));
    return "";
  }

  bool run(const std::string& name) {
    if (name == "echo") return echo();
    if (name == "echo-many") return report("echo-many", run::echo_many(trial(), o_.bytes, o_.blocks, o_.rounds));
    if (name == "stream") return stream();
    if (name == "words") return words();
    if (name == "clusters") return clusters();
    if (name == "programs") return programs();
    if (name == "serve-echo") return serve(apps::Job::echo_serve);
    if (name == "client" && o_.on_gpu) return client();
    if (name == "serve-faces") return serve(apps::Job::serve_faces);
    std::fprintf(stderr, "there is no trial '%s'\n%s", name.c_str(), help);
    return false;
  }

 private:
  Address address() {
    ++number_;
    if (o_.tcp) return tcp_address(loopback, static_cast<std::uint16_t>(o_.tcp + 64 * number_));
    return local_address((folder_ / std::to_string(number_)).c_str());
  }
  run::Trial trial() {
    const auto open = [this](int which, const Dimensions& size, const ProxyOptions& proxy) {
      if (!o_.on_gpu) return run::open_cpu(size, proxy);
      return gpunet::gpu::open_gpu(*gpus_[static_cast<std::size_t>(which) % gpus_.size()], size, proxy);
    };
    return {open, o_.threads, address()};
  }
  const char* family() const { return o_.tcp ? "tcp" : "unix"; }

  bool report(const char* what, const run::Timing& timing) {
    const auto median = quantile(timing.ns, 0.5);
    const auto& m = timing.proxy;
    const auto rate = [](std::uint64_t bytes, std::uint64_t ns) {
      return ns == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(ns);
    };
    std::printf(
        "{\"trial\":\"%s\",\"on\":\"%s\",\"family\":\"%s\",\"bytes\":%llu,\"blocks\":%u,\"threads\":%u,"
        "\"nodes\":%d,\"p50_ns\":%.0f,\"p99_ns\":%.0f,\"GBps\":%.3f,\"GBps_in_send\":%.3f,\"GBps_in_receive\":%.3f,"
        "\"right\":%s}\n",
        what, o_.on_gpu ? "gpu" : "cpu", family(), static_cast<unsigned long long>(o_.bytes), o_.blocks, o_.threads,
        o_.nodes, median, quantile(timing.ns, 0.99), median > 0 ? static_cast<double>(timing.bytes) / median : 0.0,
        rate(m.sent_bytes, m.send_ns), rate(m.received_bytes, m.receive_ns - m.empty_receive_ns),
        timing.right ? "true" : "false");
    std::fflush(stdout);
    return timing.right;
  }
  bool report(const char* what, bool right, double seconds) {
    std::printf(
        "{\"trial\":\"%s\",\"on\":\"%s\",\"family\":\"%s\",\"blocks\":%u,\"threads\":%u,\"nodes\":%d,"
        "\"seconds\":%.4f,\"right\":%s}\n",
        what, o_.on_gpu ? "gpu" : "cpu", family(), o_.blocks, o_.threads, o_.nodes, seconds, right ? "true" : "false");
    std::fflush(stdout);
    return right;
  }

  bool echo() {
    const bool own = report("echo-of-cpu", run::echo_of_cpu(address(), o_.bytes, o_.rounds));
    return report("echo", run::echo(trial(), o_.bytes, o_.rounds)) && own;
  }
  bool stream() {
    const auto messages = static_cast<std::uint64_t>(o_.rounds);
    const bool own = report("stream-of-cpu", run::stream_of_cpu(address(), o_.bytes, messages, 1 << 20));
    const run::Trial proxies{
        [](int, const Dimensions& size, const ProxyOptions& proxy) { return run::open_cpu(size, proxy, false); }, 1,
        address()};
    const bool alone = report("stream-of-proxies", run::stream(proxies, o_.bytes, messages, o_.blocks, o_.proxies, 0));
    const auto timing = run::stream(trial(), o_.bytes, messages, o_.blocks, o_.proxies, o_.check_every);
    return report("stream", timing) && own && alone;
  }
  bool words() {
    const auto text = run::make_text(o_.bytes, o_.seed);
    const auto counted = run::count_words(trial(), text, o_.nodes, o_.blocks);
    if (!o_.write.empty()) {
      std::ofstream{o_.write + ".txt"} << text;
      std::ofstream counts{o_.write + ".counts"};
      for (const auto& [word, count] : counted.words) counts << count << " " << word << "\n";
    }
    return report("words", counted.right, counted.seconds);
  }
  bool clusters() {
    const auto points = run::make_points(o_.bytes / sizeof(apps::Point), 16, o_.seed);
    const std::vector<apps::Point> start{points.begin(), points.begin() + 16};
    const auto rounds = static_cast<std::uint64_t>(o_.rounds);
    const auto found = run::cluster(trial(), points, start, rounds, o_.nodes, o_.blocks);
    const auto expected = run::cluster_on_cpu(points, start, rounds);
    const bool same = std::ranges::equal(found.centroids, expected,
                                         [](const auto& a, const auto& b) { return std::ranges::equal(a.at, b.at); });
    return report("clusters", found.right && same, found.seconds);
  }
  bool programs() {
    const auto node =
        trial().open(0, {.sockets = 16, .blocks = 4, .ring_bytes = 1 << 17}, {.threads = 1, .directly = 16});
    const auto desk = node->map(sizeof(programs::Desk));
    apps::Task task;
    task.desk = desk.there;
    node->launch(task, 1, o_.threads);
    const auto start = Clock::now();
    const auto verdict =
        programs::run_campaign({.first_seed = o_.seed, .programs = o_.programs, .folder = folder_.string()},
                               *reinterpret_cast<programs::Desk*>(desk.here), node->proxy());
    const bool ended = node->wait(10);
    std::fputs(verdict.first_difference.c_str(), stderr);
    std::fprintf(stderr, "%d programs of %llu calls: %d different\n", verdict.equal + verdict.different,
                 static_cast<unsigned long long>(verdict.calls), verdict.different);
    return report("programs", ended && verdict.different == 0,
                  std::chrono::duration<double>{Clock::now() - start}.count());
  }
  bool client() {
    const auto node = trial().open(0, {.sockets = 4 * o_.blocks, .blocks = o_.blocks}, {});
    auto server = o_.path.empty() ? tcp_address(loopback, o_.tcp) : local_address(o_.path.c_str());
    gpunet::gpu::launch(*node, o_.kernel.c_str(), &server, o_.blocks, o_.threads);
    return node->wait(o_.seconds);
  }
  bool serve(apps::Job job) {
    std::vector<std::unique_ptr<run::Node>> nodes;
    for (int n = 0; n < o_.nodes; ++n) {
      nodes.push_back(trial().open(n, {.sockets = 4 * o_.blocks + 16, .blocks = o_.blocks, .ring_bytes = 1 << 18}, {}));
      auto& node = *nodes.back();
      apps::Task task;
      task.job = job;
      task.address = o_.path.empty() ? tcp_address(loopback, static_cast<std::uint16_t>(o_.tcp + n))
                                     : local_address(o_.path.c_str());
      task.service = tcp_address(loopback, o_.memcached);
      task.bytes = 1 << 16;
      task.memory = node.allocate(o_.blocks * task.bytes);
      task.results = reinterpret_cast<std::uint64_t*>(node.allocate(o_.blocks * 8));
      task.shared = reinterpret_cast<std::uint64_t*>(node.allocate(4096));
      node.launch(task, o_.blocks, o_.threads);
    }
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{o_.seconds});
    while (Clock::now() < end && ::getppid() != 1)
      for (auto& node : nodes) {
        if (node->done()) return false;  // a server ends by itself only if it cannot serve
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    return true;
  }

  const Options& o_;
  std::filesystem::path folder_;
  std::vector<std::unique_ptr<gpu_backend::Gpu>> gpus_;
  int number_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc == 2 && std::string_view{argv[1]} == "--help") return std::fputs(help, stdout), 0;
  if (const auto complaint = read_options(argc, argv, options); !complaint.empty()) {
    std::fprintf(stderr, "%s\n%s", complaint.c_str(), help);
    return 2;
  }
  Runner runner{options};
  if (options.on_gpu)
    if (const auto missing = runner.find_gpus(); !missing.empty())
      return std::fprintf(stderr, "waived: %s\n", missing.c_str()), 3;
  bool right = true;
  try {
    for (const auto& trial : options.trials) right = runner.run(trial) && right;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return right ? 0 : 1;
}
