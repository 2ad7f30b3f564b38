#include "validation/calibrate/play.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/pcie/link_rate.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::calibrate {
namespace {

using fabric::ChannelIndex;

constexpr ChannelIndex write_channel{1}, read_channel{2};
constexpr std::uint64_t host_buffer = 0x1'0000'0000;
constexpr Duration crossing = std::chrono::nanoseconds{5};  // of the root complex, each way: a part of the latency
constexpr Instant longest{std::chrono::seconds{1000}};
constexpr BitRate memory_rate{8'000'000'000'000};  // inside the root complex: never the limit

Duration from_ns(double ns) { return Duration{static_cast<std::int64_t>(ns * 1e6 + 0.5)}; }
double to_ns(Duration time) { return static_cast<double>(femtoseconds(time)) / 1e6; }

BitRate line_rate(const Path& path) {
  return pcie::link_timing(path.link, path.max_payload, pcie::DllpAccounting::counted, path.link_share).rate;
}

/// Requests that a read of that size is cut into.
int requests_of(const Path& path, Bytes read) {
  return static_cast<int>((read + path.max_read_request - Bytes{1}) / path.max_read_request);
}

struct Machine {
  fabric::Topology topology;
  fabric::NodeId gpu, memory;
};

Machine build(const Path& path, int tags) {
  const fabric::LinkDirection wire{.rate = line_rate(path),
                                   .ack_interval = Duration{1},
                                   .fc_interval = from_ns(std::max(path.update_interval, 1e-6))};
  const fabric::LinkDirection inside{.rate = memory_rate, .framing = Bytes{0}};
  fabric::Endpoint memory;
  memory.max_payload = path.max_payload;
  memory.max_completion = path.max_payload;
  memory.read_latency = std::max(from_ns((1 - gpu_share) * path.read_latency) - 2 * crossing, Duration{0});
  memory.service[static_cast<std::size_t>(pcie::TlpClass::non_posted)].per_tlp = from_ns(path.read_service);
  memory.service[static_cast<std::size_t>(pcie::TlpClass::posted)].per_tlp = from_ns(path.write_service);
  fabric::Endpoint gpu;
  gpu.max_payload = path.max_payload;
  gpu.max_completion = path.max_payload;
  gpu.max_read_request = path.max_read_request;
  gpu.tags = tags;
  gpu.channels = 2;
  gpu.reaction = from_ns(gpu_share * path.read_latency);
  Machine made;
  const auto root = made.topology.add_router("rc", {crossing});
  made.memory = made.topology.add_endpoint("memory", memory);
  made.gpu = made.topology.add_endpoint("gpu", gpu);
  made.topology.connect(root, made.memory, inside, inside);
  made.topology.connect(root, made.gpu, wire, wire);
  return made;
}

/// Submits, and hears what became of it.
class Player final : private fabric::DeliverySink {
 public:
  /// `outstanding` reads at a time, each of so many requests.
  Player(const Path& path, int outstanding, int requests = 1)
      : machine_{build(path, outstanding * requests)},
        reaction_{machine_.topology.nodes[machine_.gpu.value()].endpoint.reaction},
        last_(static_cast<std::size_t>(outstanding)) {
    const auto problems = fabric::validate(machine_.topology);
    require(problems.empty(), problems.empty() ? "" : problems.front());
    fabric_ = fabric::make_fabric(machine_.topology, *this);
  }

  void write(Bytes bytes, int count) {
    for (int n = 0; n < count; ++n) submit(write_channel, pcie::Operation::memory_write, 0, bytes, Instant{});
  }
  /// One request of each chain, and from then on the next when its data is there.
  void read(Bytes bytes) {
    request_ = bytes;
    for (std::size_t chain = 0; chain < last_.size(); ++chain)
      submit(read_channel, pcie::Operation::memory_read, chain, bytes, Instant{});
  }

  /// Runs until so many reads and writes are done in all.
  void run_until(std::size_t reads, std::size_t writes) {
    while (reads_.size() < reads || writes_.size() < writes) {
      fabric_->advance(longest);
      const auto arrived = std::move(completed_);
      completed_.clear();
      for (const auto& delivery : arrived)
        submit(read_channel, pcie::Operation::memory_read, delivery.cookie, request_, delivery.done + reaction_);
    }
  }

  /// Done, in order.
  std::vector<Instant> reads() const { return sorted(reads_); }
  std::vector<Instant> writes() const { return sorted(writes_); }

 private:
  static std::vector<Instant> sorted(std::vector<Instant> times) {
    std::ranges::sort(times);
    return times;
  }

  void submit(ChannelIndex channel, pcie::Operation op, std::size_t chain, Bytes bytes, Instant ready) {
    fabric::Transaction t;
    t.cookie = chain;
    t.target = machine_.memory;
    t.op = op;
    t.address = host_buffer + 4096 * (next_++ % 1024);
    t.bytes = bytes;
    t.ready = ready;
    t.notify_requester = op == pcie::Operation::memory_read;
    fabric_->submit(machine_.gpu, channel, t);
  }

  void deliver(const fabric::Delivery& delivery) override {
    if (delivery.kind == fabric::DeliveryKind::arrived) writes_.push_back(delivery.done);
    if (delivery.kind != fabric::DeliveryKind::completed) return;
    reads_.push_back(delivery.done);
    completed_.push_back(delivery);
  }

  Machine machine_;
  Duration reaction_;
  std::unique_ptr<fabric::Fabric> fabric_;
  std::vector<Instant> last_;
  std::vector<Instant> reads_, writes_;
  std::vector<fabric::Delivery> completed_;
  Bytes request_{};
  std::uint64_t next_ = 0;
};

/// Mean time between those that were done from `begin` to `end`.
double interval(const std::vector<Instant>& done, Instant begin, Instant end) {
  const auto first = std::ranges::lower_bound(done, begin), last = std::ranges::lower_bound(done, end);
  require(last - first > 1, "enough transfers to tell a rate");
  return to_ns(*(last - 1) - *first) / static_cast<double>(last - first - 1);
}

}  // namespace

double read_step(const Path& path, Bytes request, int outstanding) {
  const auto chains = static_cast<std::size_t>(outstanding);
  constexpr std::size_t before = 2, steps = 4;
  Player player{path, outstanding, requests_of(path, request)};
  player.read(request);
  player.run_until((before + steps) * chains, 0);
  const auto done = player.reads();
  return to_ns(done[(before + steps) * chains - 1] - done[before * chains - 1]) / static_cast<double>(steps);
}

double completion_time(const Path& path, Bytes data) {
  return to_ns((pcie::header_3dw + pcie::link_framing + data) / line_rate(path));
}

double write_interval(const Path& path, Bytes request) {
  constexpr int count = 300;
  Player player{path, 1};
  player.write(request, count);
  player.run_until(0, count);
  const auto done = player.writes();
  return interval(done, done[count / 3], done[count - 1]);
}

BothWays both_intervals(const Path& path, Bytes read_request, Bytes write_request, int count) {
  const auto writes = static_cast<std::size_t>(count);
  const auto outstanding =
      static_cast<int>(3 * 64 * path.read_latency / static_cast<double>(read_request.count())) + 16;
  Player player{path, outstanding, requests_of(path, read_request)};
  player.write(write_request, count);
  player.read(read_request);
  player.run_until(0, writes);
  const auto write_times = player.writes(), read_times = player.reads();
  const auto begin = write_times[writes / 2], end = write_times[writes - 1];
  return {interval(read_times, begin, end), interval(write_times, begin, end)};
}

}  // namespace peerpath::calibrate
