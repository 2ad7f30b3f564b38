// NIC, GPU and host memory on one router, with the driver and the copy engine at their places, for tests.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "devices/odp_nic/driver.hpp"
#include "devices/odp_nic/migrator.hpp"
#include "devices/odp_nic/nic.hpp"
#include "loop/loop.hpp"

namespace peerpath::odp {

using namespace literals;
using namespace std::chrono_literals;

/// Pages of 16 KiB, and what costs time is short beside the RNR timer.
inline device::OdpNicConfig small_config(device::PagePolicy policy) {
  device::OdpNicConfig config;
  config.policy = policy;
  config.page = 16_KiB;
  config.aperture = 64_KiB;
  config.rnr_timer = 100us;
  config.fault_latency = 5us;
  config.map_latency = config.unmap_latency = 2us;
  config.migrate_latency = 3us;
  return config;
}

class OdpBench {
 public:
  /// One registered buffer for each stream.
  OdpBench(const device::OdpNicConfig& config, std::vector<Stream> streams, std::vector<Reach> reach = {{}},
           std::uint64_t seed = 1) {
    fabric::Endpoint memory;
    memory.read_latency = 300ns;
    memory.channels = 1;
    fabric::Endpoint gpu = memory;
    gpu.channels = static_cast<int>(streams.size());
    const fabric::LinkDirection wire{.rate = 200_Gbps, .propagation = 100ns};
    const auto router = topology_.add_router("switch", {.latency = 100ns});
    const auto host = topology_.add_endpoint("memory", memory);
    const auto nic_node = topology_.add_endpoint("nic", fabric_endpoint(config));
    const auto gpu_node = topology_.add_endpoint("gpu", gpu);
    for (const auto node : {host, nic_node, gpu_node}) topology_.connect(router, node, wire, wire);
    std::vector<Region*> all;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const auto pages = static_cast<std::size_t>(streams[i].window.count() / config.page.count());
      auto& region = *regions.emplace_back(std::make_unique<Region>(config.page, pages));
      region.gpu = gpu_node;
      region.host = host;
      region.window = 0x80'0000'0000 + i * 0x1'0000'0000;
      region.frames = 0x1'0000'0000 + i * 0x1000'0000;
      region.commands = 0x9000'0000 + i * 0x1000;
      region.events = 0x8000'0000;
      region.interrupts = 0xfee0'0000;
      all.push_back(&region);
      streams[i].done = [this](Instant begin, Instant end, Bytes) {
        ++done;
        last = end - begin;
      };
    }
    nic.emplace(config, nic_node, all, streams);
    driver.emplace(config, nic_node, 0xa000'0000, all, std::vector(all.size(), reach), Random{seed, "driver"});
    loop_.emplace(topology_, fabric::Mode::train);
    loop_->add(*nic, {.node = nic_node, .channels = nic_channels, .hears_arrivals = true});
    loop_->add(*driver, {.node = host, .windows = {{0x8000'0000, 0x1000}, {0xfee0'0000, 0x1000}}});
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& migrator = *migrators.emplace_back(
          std::make_unique<Migrator>(config, static_cast<std::uint8_t>(i), *all[i], 1us, Random{seed + i, "kernel"}));
      loop_->add(migrator, {.node = gpu_node, .windows = {{all[i]->commands, 0x1000}}, .hears_arrivals = true});
    }
  }

  void run(Duration time) { loop_->run_until(Instant{time}); }
  private_pages::TableCounters pages() const { return driver->counters_until(loop_->now()).pages; }

  std::vector<std::unique_ptr<Region>> regions;
  std::optional<Nic> nic;
  std::optional<Driver> driver;
  std::vector<std::unique_ptr<Migrator>> migrators;
  std::int64_t done = 0;
  Duration last{};  ///< latency of the last message

 private:
  fabric::Topology topology_;
  std::optional<loop::Loop> loop_;
};

inline Stream stream_of(pcie::Operation op, Bytes size, Bytes window, BitRate rate = 20_Gbps) {
  return {op, window, {size}, rate, {}};
}

}  // namespace peerpath::odp
