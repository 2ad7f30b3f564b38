// Options of a GPU.
#pragma once

#include <optional>
#include <tuple>

#include "devices/gpu/work_config.hpp"
#include "peerpath/base/address.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/bar1.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

/// A GPU: memory behind a BAR, and copy engines.
struct GpuConfig {
  FunctionConfig function{};
  Bytes memory = 80_GiB;
  Bytes bar_size = 128_GiB;
  std::optional<BusAddress> bar_address{};
  Bar1Config bar1{};
  BitRate write_rate = BitRate{3'200'000'000'000};
  BitRate read_rate = BitRate{3'200'000'000'000};
  Duration read_latency = 600ns;
  int copy_engines = 2;
  Duration copy_setup = 1500ns;
  std::optional<int> peer_reads{};
  std::optional<int> outstanding{};
  std::optional<CopiesConfig> copies{};
  std::optional<KernelsConfig> kernels{};

  static constexpr auto fields() {
    return std::tuple{
        field("function", &GpuConfig::function, "PCIe function"),
        field("memory", &GpuConfig::memory, "HBM capacity"),
        field("bar_size", &GpuConfig::bar_size,
              "Size of the window through which peers reach the memory (BAR1 in nvidia-smi -q); a power of two"),
        field("bar_address", &GpuConfig::bar_address,
              "Bus address of the BAR, a multiple of its size; absent: assigned automatically"),
        field("bar1", &GpuConfig::bar1, "Mapping of memory into that window"),
        field("write_rate", &GpuConfig::write_rate, "Rate at which peer writes drain into memory")
            .at_least(least_rate)
            .from("assumed"),
        field("read_rate", &GpuConfig::read_rate, "Rate at which peer reads are served")
            .at_least(least_rate)
            .from("assumed"),
        field("read_latency", &GpuConfig::read_latency, "Latency of a peer read, from request to first data")
            .at_most(longest_wait)
            .from("assumed"),
        field("copy_engines", &GpuConfig::copy_engines, "Number of copy engines").at_least(1).at_most(16),
        field("copy_setup", &GpuConfig::copy_setup, "Time from submission of a copy to its first read")
            .at_most(longest_wait)
            .from("assumed"),
        field("peer_reads", &GpuConfig::peer_reads,
              "Peer read requests served concurrently; limits peer reads below peer writes. Absent: unlimited")
            .at_least(1)
            .at_most(65536),
        field("outstanding", &GpuConfig::outstanding,
              "Reads that kernels keep in flight, and as many writes; absent: 64")
            .at_least(1)
            .at_most(65536),
        field("copies", &GpuConfig::copies,
              "Copy engine parameters; absent: copy_setup before each copy, requests of MRRS, 64 KiB in flight"),
        field("kernels", &GpuConfig::kernels,
              "Kernel access parameters; absent: kernels add no time to that of the fabric")};
  }
};

}  // namespace peerpath::device
