// What a scenario can set on an RDMA NIC with on-demand paging.
#pragma once

#include <string>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"
#include "peerpath/device/page_policy.hpp"

namespace peerpath::device {

/// An RDMA NIC whose registered GPU memory is device-private: it faults on pages (ODP), and the GPU's driver serves the
/// faults. The model card has the sources.
struct OdpNicConfig {
  FunctionConfig function{};
  std::string pages_in{};
  PagePolicy policy = PagePolicy::alias_with_fallback;
  Bytes page = 64_KiB;
  Bytes aperture = 16_MiB;
  BitRate wire_rate = 200_Gbps;
  Bytes mtu = 4_KiB;
  Bytes buffer = 512_KiB;
  Duration round_trip = 4us;
  Duration rnr_timer = 640us;
  int rnr_retry = 7;
  Duration fault_latency = 20us;
  Duration map_latency = 10us;
  Duration unmap_latency = 10us;
  Duration migrate_latency = 20us;
  BitRate migrate_rate{};
  Duration touch_interval{};
  Duration evict_interval{};

  static constexpr auto fields() {
    return std::tuple{
        field("function", &OdpNicConfig::function, "PCIe function"),
        field("pages_in", &OdpNicConfig::pages_in,
              "The host_memory that pages migrate to, and that faults are told to"),
        field(
            "policy", &OdpNicConfig::policy,
            "A fault on a page in GPU memory: migrate it to host memory; alias it through the GPU's window; alias it, "
            "but migrate it where the aperture is full or p2pdma says NOT_SUPPORTED"),
        field("page", &OdpNicConfig::page, "What one fault, one alias and one migration are about; a power of two")
            .at_least(4_KiB)
            .at_most(2_MiB)
            .from("assumed: 4 KiB (device-private entries of Linux) to 2 MiB (huge ones)"),
        field("aperture", &OdpNicConfig::aperture,
              "What each traffic entry has of the GPU's window (BAR1) for its aliases; a multiple of the page")
            .at_least(4_KiB)
            .from("assumed"),
        field("wire_rate", &OdpNicConfig::wire_rate, "Rate of the Ethernet port, which all entries share")
            .at_least(least_rate)
            .from("assumed"),
        field("mtu", &OdpNicConfig::mtu, "Path MTU: payload of one packet; a power of two, at most the page")
            .at_least(256_B)
            .at_most(4_KiB)
            .from("IBTA: 256 B to 4 KiB"),
        field("buffer", &OdpNicConfig::buffer,
              "Payload that has come by the wire and not arrived in memory, or is being read; the wire waits for room")
            .at_least(4_KiB)
            .from("assumed"),
        field("round_trip", &OdpNicConfig::round_trip,
              "To the peer on the wire and back: an RNR NAK costs it besides the timer")
            .at_most(longest_wait)
            .from("assumed"),
        field("rnr_timer", &OdpNicConfig::rnr_timer, "min_rnr_timer of the RNR NAK: how long the peer waits")
            .at_least(10us)
            .at_most(std::chrono::milliseconds{656})
            .from("IBTA timer code 12, 0.64 ms: the default of libfabric's verbs provider"),
        field("rnr_retry", &OdpNicConfig::rnr_retry,
              "RNR retries of one packet before the queue pair fails; 7: any number")
            .at_least(0)
            .at_most(7),
        field("fault_latency", &OdpNicConfig::fault_latency,
              "A fault of the NIC or of the GPU: interrupt to the driver's decision")
            .at_most(longest_wait)
            .from("assumed"),
        field("map_latency", &OdpNicConfig::map_latency, "Mapping a page into the window")
            .at_most(longest_wait)
            .from("assumed: as bar1.map_call; GDRCopy's README has 10 us to 1 ms for whole buffers"),
        field("unmap_latency", &OdpNicConfig::unmap_latency, "Taking it out")
            .at_most(longest_wait)
            .from("assumed: as map_latency"),
        field("migrate_latency", &OdpNicConfig::migrate_latency,
              "Software of a migration before the copy: unmapping on the GPU and the CPU, flushing TLBs, a command")
            .at_most(longest_wait)
            .from("assumed"),
        field("migrate_rate", &OdpNicConfig::migrate_rate,
              "Rate at which the GPU's copy engine moves a page; 0bps: what PCIe carries of 64 KiB in flight")
            .at_least(BitRate{}),
        field("touch_interval", &OdpNicConfig::touch_interval,
              "So often a kernel stores 64 B into a page of each entry, by chance; one that is in host memory comes "
              "back; "
              "0ns: never")
            .at_most(longest_wait),
        field("evict_interval", &OdpNicConfig::evict_interval,
              "So often GPU memory runs short, and a page of an entry, by chance, goes to host memory; 0ns: never")
            .at_most(longest_wait)};
  }
};

}  // namespace peerpath::device
