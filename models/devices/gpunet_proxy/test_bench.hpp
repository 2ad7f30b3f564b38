// A GPU, or two, and a host on one router, with the programs of one traffic entry, for tests.
#pragma once

#include <memory>
#include <vector>

#include "devices/gpunet_proxy/blocks.hpp"
#include "loop/loop.hpp"

namespace peerpath::proxy {

using namespace literals;
using namespace std::chrono_literals;

/// What was over, and when it began and ended.
struct Over {
  Moments at{};
  Bytes size{};
};

class SocketsBench {
 public:
  explicit SocketsBench(Way way) : way_{way} {}

  Lane* lane(Track* track, const Stamps& stamps) {
    auto* lane = all_.emplace_back(std::make_unique<Lane>()).get();
    lane->track = track;
    lane->stamps = stamps;
    return lane;
  }
  Track* track() {
    auto* track = tracks_.emplace_back(std::make_unique<Track>()).get();
    track->done = [this](const Moments& at, Bytes size) { over.push_back({at, size}); };
    return track;
  }

  /// A program sends to `flows` blocks of the GPU, which send back.
  void echo(const device::GpunetProxyConfig& config, std::vector<Bytes> sizes, int flows) {
    ProxyPlan proxy{config, {}, {}};
    ClientPlan client{{}, {}, sizes, {}};
    std::vector<BlockPlan> blocks;
    for (int n = 0; n < flows; ++n) {
      auto* one = track();
      auto* request = lane(one, {.sent = 1, .announced = 2, .found = 3});
      auto* answer = lane(one, {.stored = 4, .sent = 5, .taken = 6});
      client.out.push_back(request), client.in.push_back(answer);
      proxy.in.push_back(request), proxy.out.push_back(answer);
      blocks.push_back({.job = Job::echo, .in = request, .out = answer, .sizes = sizes});
    }
    build({{proxy, blocks}}, &client);
  }

  /// Blocks of one GPU send to blocks of another.
  void stream(const device::GpunetProxyConfig& config, std::vector<Bytes> sizes, int flows, bool one_gpu = false) {
    ProxyPlan sender{config, {}, {}}, receiver{config, {}, {}};
    std::vector<BlockPlan> send, take;
    for (int n = 0; n < flows; ++n) {
      auto* way = lane(track(), {.stored = 1, .seen = 2, .sent = 3, .announced = 4, .found = 5, .taken = 6});
      sender.out.push_back(way), receiver.in.push_back(way);
      send.push_back({.job = Job::send, .out = way, .sizes = sizes});
      take.push_back({.job = Job::take, .in = way, .sizes = sizes});
    }
    one_gpu_ = one_gpu;
    build({{sender, send}, {receiver, take}}, nullptr);
  }

  void run(Duration time) { loop_->run_until(Instant{time}); }
  Instant now() const { return loop_->now(); }
  ProxyCounters proxy(std::size_t n) const { return cores_->counters(n, now()); }
  const BlockCounters& blocks(std::size_t n) const { return gpus_[n]->counters(); }

  std::vector<Over> over;
  Duration read_latency = 377ns;  ///< scenarios/hardware/h200_host.json
  Duration memory_latency = 559ns;

 private:
  void build(std::vector<std::pair<ProxyPlan, std::vector<BlockPlan>>> ends, const ClientPlan* client) {
    std::vector<Lane*> lanes;
    for (const auto& one : all_) lanes.push_back(one.get());
    fabric::Endpoint memory;
    memory.read_latency = memory_latency;
    fabric::Endpoint gpu;
    gpu.max_read_request = 4_KiB;
    gpu.tags = 768;
    gpu.channels = one_gpu_ ? 2 : 1;
    const fabric::LinkDirection wire{.rate = 500_Gbps};
    const auto router = topology_.add_router("rc", {.latency = 150ns});
    const auto host = topology_.add_endpoint("memory", memory);
    topology_.connect(router, host, {.rate = 16000_Gbps}, {.rate = 16000_Gbps});
    cores_ = std::make_unique<Cores>(way_, lanes);
    device::Place place{.node = host};
    std::vector<fabric::NodeId> nodes;
    for (std::size_t n = 0; n < ends.size(); ++n) {
      auto& [plan, blocks] = ends[n];
      if (n == 0 || !one_gpu_) {
        nodes.push_back(topology_.add_endpoint("gpu" + std::to_string(n), gpu));
        topology_.connect(router, nodes.back(), wire, wire);
      }
      cores_->add(plan, {});
      const Places places{host, 0x1'0000'0000 + n * 0x10'0000, 0x2'0000'0000 + n * 0x1000'0000, {}, 0};
      place.windows.push_back({places.words, 0x10'0000});
      gpus_.push_back(std::make_unique<Blocks>(plan.config, read_latency, way_, places, lanes, blocks));
    }
    if (client != nullptr) cores_->add(*client, way_.tcp ? ends[0].first.config.tcp : ends[0].first.config.local);
    loop_ = std::make_unique<loop::Loop>(topology_, fabric::Mode::train);
    for (std::size_t n = 0; n < gpus_.size(); ++n)
      loop_->add(*gpus_[n], {.node = nodes[one_gpu_ ? 0 : n], .hears_arrivals = true, .only_asks = true});
    loop_->add(*cores_, place);
  }

  Way way_;
  bool one_gpu_ = false;
  fabric::Topology topology_;
  std::vector<std::unique_ptr<Track>> tracks_;
  std::vector<std::unique_ptr<Lane>> all_;
  std::vector<std::unique_ptr<Blocks>> gpus_;
  std::unique_ptr<Cores> cores_;
  std::unique_ptr<loop::Loop> loop_;
};

}  // namespace peerpath::proxy
