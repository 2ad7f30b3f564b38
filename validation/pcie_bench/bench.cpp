#include "validation/pcie_bench/bench.hpp"

#include <optional>

#include "core/pcie/link_rate.hpp"
#include "devices/dma_card/dma_card.hpp"
#include "devices/host_memory/memory_gate.hpp"
#include "devices/root_complex/root_port.hpp"
#include "loop/loop.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::pcie_bench {
namespace {

using namespace std::chrono_literals;

constexpr Duration propagation = 10ns;             // assumed
constexpr Duration router_latency = 50ns;          // assumed: a part of the fitted read_latency could be moved here
constexpr BitRate memory_rate{8'000'000'000'000};  // no bottleneck: all hosts have four channels and warm caches
constexpr Bytes window{8192};
constexpr int ddio_ways = 2;  // Xeon E5-2600 (v1, v3, v4): two for devices
constexpr int ranks = 1;      // assumed: no document says which memory the hosts hold
// Read off: a batch of reads of 128 or 256 B, what of it is in flight at most, and what is when the next one begins.
constexpr Bytes batch{16 << 10}, batched_buffer{6 << 10}, left_of_batch{1 << 10};
constexpr int posted = 95;  // one transfer of each worker thread: github.com/pcie-bench/pciebench-nfp, me/pcie_dma.c
constexpr std::uint64_t high_buffer = 0x1'0000'0000, low_buffer = 0x1000'0000;

Duration from_ns(double ns) { return Duration{static_cast<std::int64_t>(ns * 1e6 + 0.5)}; }

/// A TLP starts on the first lane: it is padded to as many bytes as there are lanes.
Bytes padding(Bytes overhead, int width) { return Bytes{(width - overhead.count() % width) % width}; }

device::DmaCardConfig card_config(const Setup& setup, const CardConstants& card, bool latency) {
  device::DmaCardConfig config;
  config.function.max_payload = setup.max_payload;
  config.function.max_read_request = setup.max_read_request;
  config.function.tags = setup.tags;
  config.outstanding = latency ? 1 : posted;
  config.command = from_ns(card.command);
  config.write_chunk = config.store = from_ns(card.chunk);
  config.read_beat = from_ns(card.read_beat);
  config.completion = from_ns(card.command);
  config.turnaround = from_ns(card.turnaround);
  config.ecrc = setup.card_ecrc;
  return config;
}

/// A read of at most one MPS comes back whole on every host, alone and under load.
Bytes max_completion(Bytes size, const Setup& setup, const HostConstants& host) {
  return size <= setup.max_payload ? setup.max_payload : Bytes{static_cast<std::int64_t>(host.completion_step + 0.5)};
}

host::Refresh refresh_of(const HostConstants& host) {
  return {.interval = refresh_interval, .time = from_ns(host.refresh), .ranks = ranks};
}

host_memory::MemoryGate memory_gate(const device::HostMemoryConfig& config, const HostConstants& host) {
  host_memory::MemoryGate gate{config};
  gate.set_refresh(refresh_of(host));
  gate.set_banks({});
  gate.fetch_lines_once();
  return gate;
}

/// What a TLP meets in the host besides its fixed times.
struct Gates {
  std::optional<root_complex::RootPort> root_port;
  std::optional<host_memory::MemoryGate> memory;
};

struct Host {
  fabric::Topology topology;
  fabric::NodeId card, memory;
};

Host build(const Case& which, const Setup& setup, const CardConstants& card, const HostConstants& host,
           const device::DmaCardConfig& config, Gates& gates) {
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
  memory.max_completion = max_completion(which.size, setup, host);
  memory.read_latency = from_ns(host.read_latency);
  memory.ecrc = setup.host_ecrc;

  Host made;
  auto& topology = made.topology;
  const auto root = topology.add_router("rc", {router_latency});
  made.memory = topology.add_endpoint("memory", memory);
  made.card = topology.add_endpoint("card", dma_card::fabric_endpoint(config, timing.rate));
  const fabric::LinkDirection inside{.rate = memory_rate, .framing = Bytes{0}};
  auto to_memory = inside;
  if (gates.memory) to_memory.gate = &*gates.memory;
  if (gates.root_port) up.gate = &*gates.root_port;
  topology.connect(root, made.memory, to_memory, inside);
  topology.connect(root, made.card, down, up);
  return made;
}

/// The far socket's lines are in no cache here, nor are those of the command interface's reads where the preparation
/// had no effect: the slowest thousandth of these takes a refresh longer than the median (347 ns on Broadwell, 253 on
/// Haswell), in the other directories of the same machines 27 to 40 ns.
bool reads_dram(const Case& which, const Setup& setup) {
  return setup.remote_memory || (which.test == Test::lat_cmd_read && !setup.card_warms);
}

dma_card::Stream stream_of(const Case& which, const Setup& setup) {
  using dma_card::Interface, dma_card::Step;
  dma_card::Stream stream;
  stream.address = setup.iommu ? low_buffer : high_buffer;
  stream.window = window;
  stream.sizes = {which.size};
  stream.random = !is_latency(which.test);
  stream.warm_up = is_latency(which.test) ? 4 : 300;
  const std::int64_t alone = reads_dram(which, setup) ? 2052 : 132;  // there some meet a refresh, else all are alike
  stream.count = is_latency(which.test) ? alone : 1500;
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

/// Whether what is sampled depends on which transfers meet refreshes, busy banks or page walks. A tenth as many move
/// the errors of what cold reads lose by up to 3 percentage points, three times as many by less than 1.
bool meets_by_chance(const Sweep& sweep, const Setup& setup) {
  return sweep.cache == CacheState::cold || setup.remote_memory || (setup.iommu && !setup.super_pages);
}

double mean_ns(Duration total, std::int64_t count) {
  return static_cast<double>(femtoseconds(total)) / static_cast<double>(count) / 1e6;
}

double run(const Case& which, const Setup& setup, const CardConstants& card, const HostConstants& host,
           const dma_card::Stream& wanted, Gates& gates) {
  const auto config = card_config(setup, card, is_latency(which.test));
  const auto made = build(which, setup, card, host, config, gates);
  const auto problems = fabric::validate(made.topology);
  require(problems.empty(), problems.empty() ? "" : problems.front());
  auto stream = wanted;
  stream.target = made.memory;
  dma_card::DmaCard device{config, made.card, {stream}};
  device.set_read_limits({.buffer = setup.tags * setup.max_payload,
                          .batched_buffer = batched_buffer,
                          .batch = batch,
                          .left = left_of_batch});
  loop::Loop loop{made.topology, fabric::Mode::train};
  loop.add(device, {.node = made.card, .channels = 2, .windows = {}, .hears_arrivals = true});
  Instant end{};
  do {
    loop.run_until(end += 20us);
    require(end < Instant{1s}, "the benchmark ends");
  } while (!device.idle());
  const auto& counters = device.counters();
  if (is_latency(which.test)) {
    const auto mean = mean_ns(counters.latency, counters.transfers);
    if (wanted.interface == dma_card::Interface::dma) return mean + card.setup;
    // A read that depends on a write takes the turnaround here too; it is told apart from the read by nothing else.
    return mean - card.command_path + (which.test == Test::lat_cmd_write_read ? card.turnaround : 0);
  }
  const double ns_per_transfer = mean_ns(counters.end - counters.begin, counters.transfers);
  const double directions = which.test == Test::bw_both ? 2.0 : 1.0;
  return 8.0 * static_cast<double>(which.size.count()) / ns_per_transfer / directions;
}

}  // namespace

double play(const Case& which, const Setup& setup, const CardConstants& card, const HostConstants& host,
            double cold_miss) {
  Gates gates;
  auto met = host;
  if (reads_dram(which, setup)) {
    gates.memory = memory_gate({}, host);
    if (!setup.remote_memory) met.read_latency += cold_miss;  // of the far socket it is in the fitted latency
  }
  return run(which, setup, card, met, stream_of(which, setup), gates);
}

double play(const Sweep& sweep, const Setup& setup, const CardConstants& card, const HostConstants& host,
            const EffectConstants& effects) {
  auto stream = stream_of(sweep.which, setup);
  stream.window = sweep.window;
  stream.random = true;
  stream.warm_up = 600;
  stream.count = is_latency(sweep.which.test) ? 4600 : meets_by_chance(sweep, setup) ? 126'000 : 12'600;

  Gates gates;
  device::HostMemoryConfig memory;
  memory.cache = device::CacheConfig{.size = setup.cache,
                                     .ways = setup.cache_ways,
                                     .ddio_ways = ddio_ways,
                                     .miss_latency = from_ns(effects.cold_miss)};
  if (setup.remote_memory) memory.remote_hop = from_ns(effects.remote_hop);
  gates.memory = memory_gate(memory, host);
  auto& cache = *gates.memory->cache();
  // The test goes on for seconds before it counts, so what the card writes has filled the ways for it.
  if (sweep.which.test != Test::lat_dma_read && sweep.which.test != Test::bw_read)
    cache.fill_by_device(stream.address, sweep.window);
  const bool warmed = sweep.which.test != Test::lat_cmd_write_read || setup.card_warms;
  if (sweep.cache == CacheState::warm && !setup.remote_memory && warmed)
    cache.touch_by_core(stream.address, sweep.window);
  if (setup.iommu) {
    gates.root_port.emplace(device::RootComplexConfig{
        .iommu = device::IommuConfig{.entries = static_cast<int>(effects.iotlb_entries + 0.5),
                                     .page_size = setup.super_pages ? device::PageSize::large : device::PageSize::small,
                                     .walkers = 1024,
                                     .walk_latency = from_ns(effects.walk_latency)}});
    auto& iommu = *gates.root_port->iommu();
    const bool writes = sweep.which.test == Test::bw_write;
    iommu.set_walk_interval(from_ns(writes ? effects.write_walk_interval : effects.walk_interval));
    iommu.set_refresh(refresh_of(host));
  }
  return run(sweep.which, setup, card, host, stream, gates);
}

}  // namespace peerpath::pcie_bench
