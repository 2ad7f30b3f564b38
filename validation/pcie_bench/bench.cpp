#include "validation/pcie_bench/bench.hpp"

#include "core/devices/dma_card/dma_card.hpp"
#include "core/loop/loop.hpp"
#include "core/pcie/link_rate.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::pcie_bench {
namespace {

using namespace std::chrono_literals;

constexpr Duration propagation = 10ns;             // assumed
constexpr Duration router_latency = 50ns;          // assumed: a part of the fitted read_latency could be moved here
constexpr BitRate memory_rate{8'000'000'000'000};  // no bottleneck: all hosts have four channels and warm caches
constexpr Bytes window{8192};
constexpr std::uint64_t high_buffer = 0x1'0000'0000, low_buffer = 0x1000'0000;

Duration from_ns(double ns) { return Duration{static_cast<std::int64_t>(ns * 1e6 + 0.5)}; }

/// A TLP starts on the first lane: it is padded to as many bytes as there are lanes.
Bytes padding(Bytes overhead, int width) { return Bytes{(width - overhead.count() % width) % width}; }

device::DmaCardConfig card_config(const Setup& setup, const CardConstants& card, bool latency) {
  device::DmaCardConfig config;
  config.function.max_payload = setup.max_payload;
  config.function.max_read_request = setup.max_read_request;
  config.function.tags = setup.tags;
  config.outstanding = latency ? 1 : 64;
  config.command = from_ns(card.command);
  config.write_chunk = from_ns(card.write_chunk);
  config.read_beat = from_ns(card.read_beat);
  config.completion = from_ns(card.completion);
  config.turnaround = from_ns(card.turnaround);
  config.store = from_ns(card.store);
  config.ecrc = setup.card_ecrc;
  return config;
}

struct Host {
  fabric::Topology topology;
  fabric::NodeId card, memory;
};

Host build(const Setup& setup, const CardConstants& card, const HostConstants& host,
           const device::DmaCardConfig& config) {
  const auto timing = pcie::link_timing(setup.link, setup.max_payload, pcie::DllpAccounting::counted);
  fabric::LinkDirection down{.rate = timing.rate,
                             .propagation = propagation,
                             .ack_interval = timing.ack_interval,
                             .fc_interval = timing.fc_interval};
  auto up = down;
  const auto request =
      (setup.iommu ? pcie::header_3dw : pcie::header_4dw) + timing.framing + Bytes{setup.card_ecrc ? 4 : 0};
  const auto completion = pcie::header_3dw + timing.framing + Bytes{setup.host_ecrc ? 4 : 0};
  up.framing =
      timing.framing + padding(request, setup.link.width) + Bytes{static_cast<std::int64_t>(card.tlp_gap + 0.5)};
  down.framing = timing.framing + padding(completion, setup.link.width);

  fabric::Endpoint memory;
  memory.max_payload = setup.max_payload;
  memory.max_completion = Bytes{static_cast<std::int64_t>(host.completion_step + 0.5)};
  memory.read_latency = from_ns(host.read_latency);
  memory.ecrc = setup.host_ecrc;

  Host made;
  auto& topology = made.topology;
  const auto root = topology.add_router("rc", {router_latency});
  made.memory = topology.add_endpoint("memory", memory);
  made.card = topology.add_endpoint("card", dma_card::fabric_endpoint(config, timing.rate));
  const fabric::LinkDirection inside{.rate = memory_rate, .framing = Bytes{0}};
  topology.connect(root, made.memory, inside, inside);
  topology.connect(root, made.card, down, up);
  return made;
}

dma_card::Stream stream_of(const Case& which, const Setup& setup, fabric::NodeId memory) {
  using dma_card::Interface, dma_card::Step;
  dma_card::Stream stream;
  stream.target = memory;
  stream.address = setup.iommu ? low_buffer : high_buffer;
  stream.window = window;
  stream.sizes = {which.size};
  stream.random = !is_latency(which.test);
  stream.warm_up = is_latency(which.test) ? 4 : 300;
  stream.count = is_latency(which.test) ? 132 : 1500;
  switch (which.test) {
    case Test::lat_cmd_read:
      stream.interface = Interface::command;
      [[fallthrough]];
    case Test::lat_dma_read:
    case Test::bw_read:
      stream.steps = {Step::read};
      break;
    case Test::lat_cmd_write_read:
      stream.interface = Interface::command;
      [[fallthrough]];
    case Test::lat_dma_write_read:
      stream.steps = {Step::write_then_read};
      break;
    case Test::bw_write:
      stream.steps = {Step::write};
      break;
    case Test::bw_both:
      stream.steps = {Step::write, Step::read};
      break;
  }
  return stream;
}

double mean_ns(Duration total, std::int64_t count) {
  return static_cast<double>(femtoseconds(total)) / static_cast<double>(count) / 1e6;
}

}  // namespace

double play(const Case& which, const Setup& setup, const CardConstants& card, const HostConstants& host) {
  const auto config = card_config(setup, card, is_latency(which.test));
  const auto made = build(setup, card, host, config);
  const auto problems = fabric::validate(made.topology);
  require(problems.empty(), problems.empty() ? "" : problems.front());
  dma_card::DmaCard device{config, made.card, {stream_of(which, setup, made.memory)}};
  loop::Loop loop{made.topology, fabric::Mode::train};
  loop.add(device, {.node = made.card, .channels = 2, .windows = {}, .hears_arrivals = true});
  Instant end{};
  do {
    loop.run_until(end += 20us);
    require(end < Instant{1s}, "the benchmark ends");
  } while (!device.idle());
  const auto& counters = device.counters();
  if (is_latency(which.test)) return mean_ns(counters.latency, counters.transfers);
  const double ns_per_transfer = mean_ns(counters.end - counters.begin, counters.transfers);
  const double directions = which.test == Test::bw_both ? 2.0 : 1.0;
  return 8.0 * static_cast<double>(which.size.count()) / ns_per_transfer / directions;
}

}  // namespace peerpath::pcie_bench
