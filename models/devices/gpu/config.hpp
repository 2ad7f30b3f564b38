// What a scenario can set on a GPU.
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
              "Window through which peers reach the memory (BAR1 of nvidia-smi -q); a power of two"),
        field("bar_address", &GpuConfig::bar_address,
              "Where firmware put that BAR, if it matters: a multiple of its size"),
        field("bar1", &GpuConfig::bar1, "How software maps memory into that window"),
        field("write_rate", &GpuConfig::write_rate, "Rate at which peer writes drain into memory")
            .at_least(least_rate)
            .from("assumed"),
        field("read_rate", &GpuConfig::read_rate, "Rate at which peer reads are served")
            .at_least(least_rate)
            .from("assumed"),
        field("read_latency", &GpuConfig::read_latency, "Peer read: request to first data")
            .at_most(longest_wait)
            .from("assumed"),
        field("copy_engines", &GpuConfig::copy_engines, "DMA engines of its own").at_least(1).at_most(16),
        field("copy_setup", &GpuConfig::copy_setup, "Submission of a copy to its first read")
            .at_most(longest_wait)
            .from("assumed"),
        field("peer_reads", &GpuConfig::peer_reads,
              "Read requests of peers that it serves at a time, so that they read slower than they write; absent: any "
              "number")
            .at_least(1)
            .at_most(65536),
        field("outstanding", &GpuConfig::outstanding,
              "Reads or writes that its kernels have in flight, each; absent: 64")
            .at_least(1)
            .at_most(65536),
        field("copies", &GpuConfig::copies,
              "How its copy engines copy; absent: copy_setup before each, requests of MRRS, 64 KiB at a time"),
        field("kernels", &GpuConfig::kernels, "What its kernels take besides the fabric; absent: nothing")};
  }
};

}  // namespace peerpath::device
