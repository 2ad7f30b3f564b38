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
              "Kernel API that moves the payload in the guest: Device Memory TCP, io_uring zero-copy receive, or plain "
              "sockets (host memory only)"),
        field("exporter", &Emulator::exporter,
              "Driver that exports GPU memory: the stock virtio-gpu driver, or peerpath's module based on p2pdma"),
        field("transfer", &Emulator::transfer, "Payload of each traffic entry without `bytes`")
            .at_least(Bytes{1})
            .at_most(Bytes{std::int64_t{1} << 40}),
        field("coalesce", &Emulator::coalesce,
              "Whether the NIC merges TCP segments of a flow into one packet when the driver enables it (GRO_HW); off: "
              "each segment keeps its own header"),
        field("guests", &Emulator::guests,
              "Location of the sender. 1: a network namespace of the same guest; 2: a guest of its own")
            .at_least(1)
            .at_most(2),
        field("loss_percent", &Emulator::loss_percent, "Percentage of frames from the sender that are dropped")
            .at_least(0.0)
            .at_most(50.0),
        field("reorder_percent", &Emulator::reorder_percent, "Percentage of frames from the sender that are reordered")
            .at_least(0.0)
            .at_most(50.0),
        field("coalesce_idle", &Emulator::coalesce_idle,
              "Guest time that receive coalescing waits for the next segment of a flow; a segment is held at most 100 "
              "times as long")
            .at_least(Duration{std::chrono::microseconds{1}})
            .at_most(Duration{std::chrono::seconds{1}}),
        field("guest_memory", &Emulator::guest_memory, "Memory of the guest")
            .at_least(Bytes{256 << 20})
            .at_most(Bytes{std::int64_t{1} << 40}),
        field("timeout", &Emulator::timeout, "Wall-clock limit of a run; the guest is stopped after it")
            .at_least(Duration{std::chrono::seconds{1}})};
  }
};

}  // namespace peerpath::scenario
