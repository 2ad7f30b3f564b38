// Options of the emulator alone: the kernel API that moves the payload, and the machine that the guest sees.
#pragma once

#include <array>
#include <chrono>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario {

/// The kernel's interface that the guest's program uses.
enum class KernelApi : std::uint8_t { devmem, zcrx, socket };
constexpr std::array<EnumName<KernelApi>, 3> enum_names(KernelApi) {
  return {{{"devmem", KernelApi::devmem}, {"zcrx", KernelApi::zcrx}, {"socket", KernelApi::socket}}};
}

/// The driver that exports GPU memory to the NIC's.
enum class GpuExporter : std::uint8_t { virtio_gpu, p2pdma };
constexpr std::array<EnumName<GpuExporter>, 2> enum_names(GpuExporter) {
  return {{{"virtio_gpu", GpuExporter::virtio_gpu}, {"p2pdma", GpuExporter::p2pdma}}};
}

struct Emulator {
  KernelApi api = KernelApi::devmem;
  GpuExporter exporter = GpuExporter::virtio_gpu;
  Bytes transfer{1 << 20};
  bool coalesce = true;
  int guests = 1;
  double loss_percent = 0;
  double reorder_percent = 0;
  Duration coalesce_idle = std::chrono::milliseconds{1};
  Bytes guest_memory{1 << 30};
  Duration timeout = std::chrono::seconds{120};

  static constexpr auto fields() {
    return std::tuple{
        field("api", &Emulator::api,
              "How the guest's program moves payload: Device Memory TCP, io_uring zero-copy receive, or plain sockets "
              "(to and from host memory)"),
        field("exporter", &Emulator::exporter,
              "What exports GPU memory: the stock virtio-gpu driver, or peerpath's module through the kernel's p2pdma"),
        field("transfer", &Emulator::transfer, "Payload that each traffic entry moves that has no `bytes` of its own")
            .at_least(Bytes{1})
            .at_most(Bytes{std::int64_t{1} << 40}),
        field("coalesce", &Emulator::coalesce,
              "The NIC makes one frame of several TCP segments where the driver allows it (GRO_HW); off, each has a "
              "header of its own"),
        field("guests", &Emulator::guests,
              "1: the other end of each wire is in a network namespace of the guest; 2: in a guest of its own")
            .at_least(1)
            .at_most(2),
        field("loss_percent", &Emulator::loss_percent, "Frames from the other end of a wire that are lost")
            .at_least(0.0)
            .at_most(50.0),
        field("reorder_percent", &Emulator::reorder_percent, "Frames from the other end of a wire that overtake others")
            .at_least(0.0)
            .at_most(50.0),
        field("coalesce_idle", &Emulator::coalesce_idle,
              "By the guest's clock, how long a NIC's receive coalescing waits for a flow's next segment; in all it "
              "holds one back a hundred times as long")
            .at_least(Duration{std::chrono::microseconds{1}})
            .at_most(Duration{std::chrono::seconds{1}}),
        field("guest_memory", &Emulator::guest_memory, "Memory of the guest")
            .at_least(Bytes{256 << 20})
            .at_most(Bytes{std::int64_t{1} << 40}),
        field("timeout", &Emulator::timeout, "Wall clock after which the guest is given up")
            .at_least(Duration{std::chrono::seconds{1}})};
  }
};

}  // namespace peerpath::scenario
