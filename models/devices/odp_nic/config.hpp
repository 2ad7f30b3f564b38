// Options of an RDMA NIC with on-demand paging.
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
        field("pages_in", &OdpNicConfig::pages_in, "Host memory that pages migrate to and that receives fault reports"),
        field("policy", &OdpNicConfig::policy,
              "Handling of a fault on a page in GPU memory. migrate: move the page to host memory; alias: map it "
              "through the GPU's window; alias_with_fallback: alias, but migrate if the aperture is full or p2pdma "
              "returns NOT_SUPPORTED"),
        field("page", &OdpNicConfig::page, "Unit of faults, aliases and migrations; a power of two")
            .at_least(4_KiB)
            .at_most(2_MiB)
            .from("assumed: 4 KiB (device-private entries of Linux) to 2 MiB (huge ones)"),
        field("aperture", &OdpNicConfig::aperture,
              "Part of the GPU's window (BAR1) that each traffic entry may use for aliases; a multiple of the page")
            .at_least(4_KiB)
            .from("assumed"),
        field("wire_rate", &OdpNicConfig::wire_rate, "Rate of the Ethernet port, shared by all entries")
            .at_least(least_rate)
            .from("assumed"),
        field("mtu", &OdpNicConfig::mtu, "Path MTU: payload per packet; a power of two, at most the page")
            .at_least(256_B)
            .at_most(4_KiB)
            .from("IBTA: 256 B to 4 KiB"),
        field("buffer", &OdpNicConfig::buffer,
              "On-chip buffer for payload between wire and memory; the wire stalls when it is full")
            .at_least(4_KiB)
            .from("assumed"),
        field("round_trip", &OdpNicConfig::round_trip,
              "Network round trip to the peer, added to the RNR timer on every RNR NAK")
            .at_most(longest_wait)
            .from("assumed"),
        field("rnr_timer", &OdpNicConfig::rnr_timer,
              "min_rnr_timer in the RNR NAK: time that the peer waits before it retries")
            .at_least(10us)
            .at_most(std::chrono::milliseconds{656})
            .from("IBTA timer code 12, 0.64 ms: the default of libfabric's verbs provider"),
        field("rnr_retry", &OdpNicConfig::rnr_retry, "RNR retries per packet before the queue pair fails; 7: unlimited")
            .at_least(0)
            .at_most(7),
        field("fault_latency", &OdpNicConfig::fault_latency,
              "Time from the fault interrupt, of the NIC or the GPU, to the driver's decision")
            .at_most(longest_wait)
            .from("assumed"),
        field("map_latency", &OdpNicConfig::map_latency, "Time to map a page into the window")
            .at_most(longest_wait)
            .from("assumed: as bar1.map_call; GDRCopy's README has 10 us to 1 ms for whole buffers"),
        field("unmap_latency", &OdpNicConfig::unmap_latency, "Time to unmap a page from the window")
            .at_most(longest_wait)
            .from("assumed: as map_latency"),
        field("migrate_latency", &OdpNicConfig::migrate_latency,
              "Software time of a migration before the copy: unmapping on GPU and CPU, TLB flushes, the copy command")
            .at_most(longest_wait)
            .from("assumed"),
        field("migrate_rate", &OdpNicConfig::migrate_rate,
              "Rate at which the GPU's copy engine moves a page; 0bps: limited by PCIe with 64 KiB in flight")
            .at_least(BitRate{}),
        field("touch_interval", &OdpNicConfig::touch_interval,
              "Interval at which a kernel stores 64 B to a random page of each entry, which brings the page back to "
              "the GPU; 0ns: never")
            .at_most(longest_wait),
        field("evict_interval", &OdpNicConfig::evict_interval,
              "Interval at which a random page of an entry is evicted from the GPU to host memory; 0ns: never")
            .at_most(longest_wait)};
  }
};

}  // namespace peerpath::device
