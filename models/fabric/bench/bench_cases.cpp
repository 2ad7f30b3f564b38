#include "fabric/bench/bench_cases.hpp"

#include <type_traits>
#include <vector>

#include "devices/root_complex/root_port.hpp"
#include "fabric/vocabulary/acs_routes.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::fabric {
namespace {

using namespace std::chrono_literals;

constexpr std::array cases{
    BenchCase{.name = "single"},
    BenchCase{.name = "single_tight", .tight = true},
    BenchCase{.name = "single_jittered", .jittered = true},
    BenchCase{.name = "disjoint_4_to_4", .nics = 4, .gpus = 4},
    BenchCase{.name = "contended_4_to_1_overload", .nics = 4},
    BenchCase{.name = "contended_4_to_1_light", .nics = 4, .rate_percent = 50},
    BenchCase{.name = "contended_4_to_1_jittered", .nics = 4, .rate_percent = 20, .jittered = true},
    BenchCase{.name = "contended_4_to_1_weighted", .nics = 4, .turns = 3},
    BenchCase{.name = "contended_4_to_1_channels", .nics = 4, .rate_percent = 50, .channels = true},
    BenchCase{.name = "reads_mrrs_512", .read_request = Bytes{512}},
    BenchCase{.name = "reads_mrrs_4096", .read_request = Bytes{4096}},
    BenchCase{.name = "reads_and_writes", .read_request = Bytes{512}, .writes_too = true},
    BenchCase{.name = "redirected", .redirected = true},
    BenchCase{.name = "redirected_4_to_4", .nics = 4, .gpus = 4, .rate_percent = 50, .redirected = true},
    BenchCase{.name = "redirected_reads_and_writes",
              .rate_percent = 80,
              .read_request = Bytes{512},
              .writes_too = true,
              .redirected = true},
};

constexpr Bytes packet_size{4096}, doorbell_size{8};
constexpr Duration gap_at_200g{166'160'000};  ///< 4096 B and 58 B around them

LinkDirection direction(std::int64_t bits_per_second, Credits posted) {
  LinkDirection d;
  d.rate = BitRate{bits_per_second};
  d.propagation = 10ns;
  d.credits = {posted, {64, 64}, {0, 0}};
  d.update_fc = 60ns;
  d.ack_interval = 60ns;
  d.fc_interval = 100ns;
  return d;
}

/// Pages of 2 MiB, so that after the first walks every request hits.
device::RootComplexConfig host() {
  device::RootComplexConfig config;
  config.iommu.emplace();
  config.iommu->page_size = device::PageSize::large;
  return config;
}

struct CountingSink final : DeliverySink {
  std::int64_t deliveries = 0;
  void deliver(const Delivery&) override { ++deliveries; }
};

}  // namespace

std::span<const BenchCase> bench_cases() { return cases; }

const BenchCase* find_bench_case(std::string_view name) {
  for (const BenchCase& load : cases)
    if (load.name == name) return &load;
  return nullptr;
}

struct BenchRun::Parts {
  const BenchCase& load;
  const Duration step;
  Topology topology;
  std::vector<NodeId> nics, gpus;
  CountingSink sink;
  root_complex::RootPort root_port{host()};
  AcsHierarchy acs;
  std::unique_ptr<Fabric> fabric;
  Instant now{};

  Parts(const BenchCase& of, Duration at_once) : load{of}, step{at_once} {
    const NodeId node = topology.add_router("switch", {110ns});
    const LinkDirection gen4 = direction(252'061'538'461, load.tight ? Credits{8, 128} : Credits{128, 2048});
    const LinkDirection gen5 = direction(504'123'076'923, load.tight ? Credits{6, 96} : Credits{256, 4096});
    for (int i = 0; i < load.nics; ++i) {
      Endpoint nic;
      nic.channels = load.channels ? 2 : 1;
      if (load.read_request > Bytes{}) nic.max_read_request = load.read_request;
      nics.push_back(topology.add_endpoint("nic" + std::to_string(i), nic));
      topology.connect(nics.back(), node, gen4, gen4);
    }
    for (int i = 0; i < load.gpus; ++i) {
      Endpoint gpu;
      gpu.service[0].rate = BitRate{3'200'000'000'000};
      gpu.read_latency = 600ns;
      gpu.read_rate = BitRate{3'200'000'000'000};
      gpus.push_back(topology.add_endpoint("gpu" + std::to_string(i), gpu));
      topology.connect(node, gpus.back(), gen5, gen5);
    }
    if (load.turns > 1)
      for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
        topology.weights.push_back(
            {node, LinkId{0}, LinkId{static_cast<std::uint16_t>(nics.size() + gpu)}, load.turns});
    if (load.redirected) redirect(node, gen5);
    for (Link& link : topology.links) {
      if (!load.channels) break;
      link.vc1_classes = 2;
      for (LinkDirection& d : link.direction) d.vc1_credits = {{{16, 64}, {16, 16}, {0, 0}}};
    }
    require(validate(topology).empty(), "a benchmark's topology is wrong");
  }

  void redirect(NodeId node, LinkDirection up) {
    acs.roots[0].root = topology.add_router("root", {150ns});
    const LinkDirection down = up;
    up.gate = &root_port;
    topology.connect(node, acs.roots[0].root, up, down);
    acs.roots[0].memory = topology.connect(acs.roots[0].root, topology.add_endpoint("dram", {}), down, down);
    const pcie::AcsPort redirecting{.control = pcie::acs::linux_default, .egress_vector = 0};
    for (std::size_t below = 0; below <= nics.size() + gpus.size(); ++below)
      acs.ports[LinkId{static_cast<std::uint16_t>(below)}] = redirecting;
    topology.strays = true;  // as in every domain where ACS is on: what a port blocks ends elsewhere
  }

  bool is_read(std::int64_t packet) const {
    return load.read_request > Bytes{} && !(load.writes_too && packet % 2 != 0);
  }

  void submit(std::int64_t packet, std::size_t nic, Instant ready) {
    Transaction t;
    t.cookie = static_cast<std::uint64_t>(packet);
    t.target = gpus[nic % gpus.size()];
    t.op = is_read(packet) ? pcie::Operation::memory_read : pcie::Operation::memory_write;
    t.address = static_cast<std::uint64_t>(packet % 1024) * 4096;
    t.bytes = packet_size;
    t.ready = ready;
    fabric->submit(nics[nic], ChannelIndex{1}, t);
  }
  /// By VC 1.
  [[gnu::noinline]] void ring(std::int64_t packet, std::size_t nic, Instant ready) {
    Transaction t;
    t.cookie = static_cast<std::uint64_t>(packet);
    t.target = gpus[nic % gpus.size()];
    t.purpose = pcie::Purpose::doorbell;
    t.traffic_class = 1;
    t.bytes = doorbell_size;
    t.ready = ready;
    fabric->submit(nics[nic], ChannelIndex{2}, t);
  }
};

BenchRun::BenchRun(const BenchCase& load, Mode mode, Duration step) : parts_{std::make_unique<Parts>(load, step)} {
  parts_->fabric = make_fabric(parts_->topology, parts_->sink, mode);
  if (!load.redirected) return;
  for (const Route& route : acs_routes(parts_->topology, parts_->acs)) parts_->fabric->set_route(route);
}

BenchRun::~BenchRun() = default;

std::int64_t BenchRun::play(std::int64_t packets) {
  Parts& p = *parts_;
  const Duration gap = gap_at_200g * 100 / p.load.rate_percent;
  const Instant begin = p.now;
  const auto ready = [&](std::int64_t packet, std::size_t nic) {
    const Instant regular = begin + packet * gap + Duration{static_cast<std::int64_t>(nic) * 1'777'000};
    if (!p.load.jittered) return regular;
    const std::uint64_t noise =
        mix(static_cast<std::uint64_t>(packet) * 64 + nic) % static_cast<std::uint64_t>(gap.count());
    return regular + Duration{static_cast<std::int64_t>(noise)};
  };
  const std::int64_t doorbells = p.load.channels ? 1 : 0;  // a packet
  const std::int64_t due = p.sink.deliveries + packets * p.load.nics * (1 + doorbells);
  std::vector<std::int64_t> next(p.nics.size());
  const auto send = [&, due, packets](auto with_doorbells) {
    while (p.sink.deliveries < due) {
      const Instant limit = p.now + p.step;
      for (std::size_t nic = 0; nic < next.size(); ++nic)
        for (; next[nic] < packets; ++next[nic]) {
          const Instant at = ready(next[nic], nic);
          if (at >= limit) break;
          p.submit(next[nic], nic, at);
          if constexpr (with_doorbells) p.ring(next[nic], nic, at);
        }
      p.now = p.fabric->advance(limit);
    }
  };
  // Two loops, so that the question does not count for the other loads.
  p.load.channels ? send(std::true_type{}) : send(std::false_type{});
  const std::int64_t answers = packet_size / Bytes{256};
  std::int64_t reads = 0;
  for (std::int64_t packet = 0; packet < packets; ++packet) reads += p.is_read(packet) ? 1 : 0;
  const std::int64_t requests = reads > 0 ? reads * (packet_size / p.load.read_request) : 0;
  return p.load.nics * (packets * (answers + doorbells) + requests);
}

}  // namespace peerpath::fabric
