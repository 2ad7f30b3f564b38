// A small platform for tests: NIC and GPU below one switch, host memory and cores at the root complex.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/pcie/link_rate.hpp"
#include "devices/gpu/gpu.hpp"
#include "devices/host_cpu/host_cpu.hpp"
#include "devices/nic/nic.hpp"
#include "loop/loop.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/net/ethernet.hpp"

namespace peerpath::host_cpu {

using namespace std::chrono_literals;
using namespace literals;

/// TCP frames of equal size, back to back at `rate`, from many flows in turn.
class RegularFrames final : public device::FrameSource {
 public:
  RegularFrames(BitRate rate, Bytes payload, std::uint32_t flows, std::int64_t count)
      : rate_{rate}, payload_{payload}, count_{count} {
    for (std::uint32_t i = 0; i < flows; ++i)
      headers_.push_back(net::build({.key = net::generated_flow(i), .payload = payload}));
  }

  std::optional<device::FrameArrival> next() override {
    if (sent_ == count_) return std::nullopt;
    const auto& header = headers_[static_cast<std::size_t>(sent_) % headers_.size()];
    device::FrameArrival arrival;
    arrival.frame.handle = static_cast<std::uint64_t>(sent_++);
    arrival.frame.header_size = header.size;
    std::ranges::copy(header.bytes(), arrival.frame.header);
    arrival.frame.size = net::padded(Bytes{header.size} + payload_);
    arrival.last_bit = Instant{} + net::wire_size(arrival.frame.size) * sent_ / rate_;
    return arrival;
  }

 private:
  BitRate rate_;
  Bytes payload_;
  std::int64_t count_, sent_ = 0;
  std::vector<net::HeaderBytes> headers_;
};

/// Sums up the packets that arrived.
class Received final : public nic::PacketSink {
 public:
  void on_packet(const nic::PacketRecord& packet) override {
    ++packets;
    payload += packet.payload;
    ordered = ordered && packet.wire < packet.memory && packet.memory <= packet.application;
    longest = std::max(longest, packet.application - packet.wire);
    last = std::max(last, packet.application);
    checksum += mix(packet.handle ^ mix(static_cast<std::uint64_t>(femtoseconds(packet.application))));
  }
  std::int64_t packets = 0;
  Bytes payload{};
  bool ordered = true;
  Duration longest{};
  Instant last{};
  std::uint64_t checksum = 0;  ///< of handles and times, whatever the order
};

struct PlatformOptions {
  device::NicConfig nic{};
  device::HostCpuConfig cpu{};
  device::GpuConfig gpu{};
  pcie::LinkShape link{5, 16};
  bool bounce = false;
  std::vector<TxSetup> tx;  ///< regions are filled in
  fabric::Mode mode = fabric::Mode::train;
  Duration quantum = 1us;
};

class Platform {
 public:
  static constexpr std::uint64_t dram = 0x1'0000'0000, interrupts = 0xfee0'0000, nic_bar = 0x9000'0000,
                                 gpu_bar = 0xa000'0000, gpu_memory = 0x80'0000'0000;

  explicit Platform(const PlatformOptions& options) : options_{options} {
    build_topology();
    memory =
        std::make_shared<nic::QueueMemory>(options.nic.queues, static_cast<std::uint32_t>(options.nic.ring_entries));
    memory->journal().set_sink(&received);
    next_ = memory->place({host, BusAddress{dram}}, {host, BusAddress{interrupts}});
    card.emplace(options.nic, memory, BusAddress{nic_bar});
    gpu.emplace(options.gpu);
    gpu->serve(host, copies);
    cpu.emplace(options.cpu, copies, std::vector{nic_setup()});
    loop.emplace(topology, options.mode, options.quantum);
    nic_device = loop->add(*card, {nic_node, nic::nic_channels, {}});
    loop->add(*gpu, {.node = gpu_node, .channels = options.gpu.copy_engines, .windows = {}, .hears_arrivals = true});
    loop->add(*cpu, {host, host_channels, {}});
  }

  fabric::Topology topology;
  fabric::NodeId host, nic_node, gpu_node;
  fabric::LinkId upstream;
  std::shared_ptr<nic::QueueMemory> memory;
  CopyRequests copies;
  Received received;
  std::optional<nic::Nic> card;
  std::optional<gpu::Gpu> gpu;
  std::optional<HostCpu> cpu;
  std::optional<loop::Loop> loop;
  device::DeviceIndex nic_device;

  /// Data bytes for `purpose` on the switch's upstream link, both directions.
  Bytes upstream_bytes(pcie::Purpose purpose) {
    Bytes sum{};
    for (int direction = 0; direction < 2; ++direction) {
      const auto counters = loop->fabric().counters(upstream, direction);
      for (const auto node : {host, nic_node, gpu_node}) sum += counters.tally(node, purpose).payload;
    }
    return sum;
  }

 private:
  void build_topology() {
    const auto timing = pcie::link_timing(options_.link, 256_B, pcie::DllpAccounting::counted);
    fabric::LinkDirection wire{.rate = timing.rate,
                               .propagation = 10ns,
                               .update_fc = 60ns,
                               .ack_interval = timing.ack_interval,
                               .fc_interval = timing.fc_interval};
    wire.credits = {fabric::Credits{128, 2048}, fabric::Credits{128, 128}, fabric::Credits{}};
    const auto root = topology.add_router("rc0", {150ns});
    const auto sw = topology.add_router("switch0", {110ns});
    fabric::Endpoint dram_side{.read_latency = 90ns};
    dram_side.service[0].rate = dram_side.read_rate = BitRate{1'600'000'000'000};
    host = topology.add_endpoint("host0", dram_side);
    nic_node = topology.add_endpoint("nic0", {.channels = nic::nic_channels});
    gpu_node = topology.add_endpoint("gpu0", gpu::fabric_endpoint(options_.gpu));
    fabric::LinkDirection inside{.rate = BitRate{2'000'000'000'000}};
    topology.connect(root, host, inside, inside);
    upstream = topology.connect(root, sw, wire, wire);
    topology.connect(sw, nic_node, wire, wire);
    topology.connect(sw, gpu_node, wire, wire);
  }

  Region host_region(Bytes size) {
    const Region region{next_, size};
    next_ = next_ + Bytes{(size.count() + 4095) / 4096 * 4096};
    return region;
  }

  NicSetup nic_setup() {
    NicSetup setup{nic_node,
                   {nic_node, BusAddress{nic_bar}},
                   memory,
                   options_.nic.buffer_size,
                   options_.nic.header_buffer_size,
                   {},
                   {}};
    const auto entries = memory->entries();
    const Bytes ring = setup.buffer_size * entries;
    for (int i = 0; i < options_.nic.queues; ++i) {
      RxSetup rx;
      rx.queue = nic::QueueIndex{static_cast<std::uint16_t>(i)};
      rx.headers = host_region(setup.header_buffer_size * entries);
      rx.bounce = options_.bounce;
      if (options_.bounce) {
        rx.payload = host_region(ring);
        rx.copy = {host_region(4_MiB), GpuAddress{}, {gpu_node, BusAddress{gpu_bar}}, host_region(8_B).base};
      } else {
        rx.payload = {{gpu_node, BusAddress{gpu_memory} + ring * i}, ring};
      }
      setup.rx.push_back(rx);
    }
    for (auto tx : options_.tx) {
      tx.headers = host_region(Bytes{net::HeaderBytes::capacity} * entries);
      if (options_.bounce) {
        tx.bounce = true;
        tx.payload = host_region(tx.packet * entries);
        tx.copy = {host_region(4_MiB), GpuAddress{}, {gpu_node, BusAddress{gpu_bar}}, host_region(8_B).base};
      } else {
        tx.payload = {{gpu_node, BusAddress{gpu_memory} + Bytes{1 << 30}}, 64_MiB};
      }
      setup.tx.push_back(tx);
    }
    return setup;
  }

  PlatformOptions options_;
  nic::MemoryPlace next_;
};

}  // namespace peerpath::host_cpu
