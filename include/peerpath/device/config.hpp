// What a scenario can set on each kind of device. One struct a kind; `fields()` is the only list of its options.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/address.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/bar1.hpp"
#include "peerpath/device/host_config.hpp"
#include "peerpath/pcie/routing.hpp"

namespace peerpath::device {

using namespace literals;
using namespace std::chrono_literals;

/// What every PCIe function has in its configuration space or data sheet.
struct FunctionConfig {
  Bytes max_payload_supported = 512_B;
  Bytes max_payload = 256_B;
  Bytes max_read_request = 512_B;
  int tags = 256;
  Duration completion_timeout = 50ms;
  int one_queue = 0;
  bool relaxed_ordering = false;
  bool id_based_ordering = false;

  static constexpr auto fields() {
    return std::tuple{
        field("max_payload_supported", &FunctionConfig::max_payload_supported, "Largest MPS that the function can do")
            .at_least(128_B)
            .at_most(4096_B),
        field("max_payload", &FunctionConfig::max_payload, "MPS: largest data block of a TLP that it sends")
            .at_least(128_B)
            .at_most(4096_B),
        field("max_read_request", &FunctionConfig::max_read_request, "MRRS: largest read request")
            .at_least(128_B)
            .at_most(4096_B),
        field("tags", &FunctionConfig::tags, "Non-posted requests outstanding: 32, 256 or up to 768 (10-bit tags)")
            .at_least(1)
            .at_most(768),
        field("completion_timeout", &FunctionConfig::completion_timeout, "Ends a request that nobody answers")
            .at_least(50us)
            .at_most(std::chrono::seconds{64}),
        field("one_queue", &FunctionConfig::one_queue,
              "A faulty receiver, one queue for requests and completions: with so many completions waiting to leave it "
              "takes in neither; 0: sound")
            .at_least(0)
            .at_most(1'000'000),
        field("relaxed_ordering", &FunctionConfig::relaxed_ordering,
              "Enable Relaxed Ordering: its reads and its payload carry RO, and completions need not wait for posted "
              "requests before them")
            .from("off: what every device can live with"),
        field("id_based_ordering", &FunctionConfig::id_based_ordering,
              "IDO Request and IDO Completion Enable: its requests and their completions wait for posted requests of "
              "the same sender alone")
            .from("off: Linux leaves it so")};
  }
};

/// A PCIe switch, or one level of it.
struct SwitchConfig {
  Duration latency = 110ns;
  Bytes max_payload_supported = 512_B;
  std::vector<pcie::AcsControl> acs{pcie::AcsControl::none};

  static constexpr auto fields() {
    return std::tuple{
        field("latency", &SwitchConfig::latency, "Cut-through latency, head in to head out")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("typical Gen4/Gen5 switch product briefs: 105..115 ns"),
        field("max_payload_supported", &SwitchConfig::max_payload_supported, "Largest MPS that its ports can do")
            .at_least(128_B)
            .at_most(4096_B),
        field("acs", &SwitchConfig::acs,
              "ACS controls that are on in its downstream ports: RR CR UF SV TB EC DT; EC forbids all peers")};
  }
};

/// The root complex: root ports and the way to host memory.
struct RootComplexConfig {
  Duration latency = 150ns;
  Bytes max_payload_supported = 512_B;
  std::optional<IommuConfig> iommu{};
  std::optional<CreditsConfig> credits{};
  std::optional<PeerConfig> peer_to_peer{};
  std::vector<pcie::AcsControl> acs{pcie::AcsControl::none};
  bool forwards_peers = true;
  pcie::HostBridgeList host_bridge = pcie::HostBridgeList::listed;

  static constexpr auto fields() {
    return std::tuple{
        field("latency", &RootComplexConfig::latency, "Port to port, and port to memory")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("assumed"),
        field("max_payload_supported", &RootComplexConfig::max_payload_supported, "Largest MPS that its ports can do")
            .at_least(128_B)
            .at_most(4096_B),
        field("iommu", &RootComplexConfig::iommu, "Translates what comes in by its root ports; absent: IOMMU off"),
        field("credits", &RootComplexConfig::credits,
              "Lines that each root port has in flight to memory; absent: no limit"),
        field("peer_to_peer", &RootComplexConfig::peer_to_peer,
              "Limits of what passes between root ports; absent: none"),
        field("acs", &RootComplexConfig::acs,
              "ACS controls that are on in its root ports; what a switch redirects comes down again only with UF"),
        field("forwards_peers", &RootComplexConfig::forwards_peers,
              "Whether it forwards from one root port down to another, or to the same; else Unsupported Request")
            .from("assumed: server root complexes do, many desktop ones do not"),
        field("host_bridge", &RootComplexConfig::host_bridge,
              "Whether Linux trusts it to do so (drivers/pci/p2pdma.c); same_bridge_only: between root ports of one "
              "host bridge alone (links.host_bridge)")
            .from(
                "AMD from family 17h on, and the Intel server bridges in the kernel's list; same_bridge_only: Xeon E5 "
                "and E5 v3")};
  }
};

/// DRAM of the host behind the root complex named by `at`.
struct HostMemoryConfig {
  std::string at{};
  Bytes size = 64_GiB;
  BitRate write_rate = BitRate{1'600'000'000'000};
  BitRate read_rate = BitRate{1'600'000'000'000};
  Duration read_latency = 90ns;
  std::optional<CacheConfig> cache{};
  std::optional<Duration> remote_hop{};
  std::optional<ChannelsConfig> channels{};

  static constexpr auto fields() {
    return std::tuple{
        field("at", &HostMemoryConfig::at, "The root complex that it belongs to"),
        field("size", &HostMemoryConfig::size, "Capacity"),
        field("write_rate", &HostMemoryConfig::write_rate, "Sustained write bandwidth")
            .at_least(least_rate)
            .from("assumed: 8 channels DDR5-4800 at 65 %"),
        field("read_rate", &HostMemoryConfig::read_rate, "Sustained read bandwidth")
            .at_least(least_rate)
            .from("assumed: as write_rate"),
        field("read_latency", &HostMemoryConfig::read_latency, "Request to first data")
            .at_most(longest_wait)
            .from("assumed"),
        field("cache", &HostMemoryConfig::cache, "Last-level cache before it; absent: every access takes read_latency"),
        field("remote_hop", &HostMemoryConfig::remote_hop,
              "The memory is that of another socket: what its reads take longer, unless the near socket's cache holds "
              "the line"),
        field("channels", &HostMemoryConfig::channels,
              "Channels that accesses take which the cache does not hold; absent: read_rate and write_rate alone")};
  }
};

/// The cores that run the driver and the protocol, at the root complex named by `at`.
struct HostCpuConfig {
  std::string at;
  int cores = 4;
  Duration interrupt_cost = 1500ns;
  Duration wakeup_cost = 1us;
  Duration packet_cost = 282ns;
  Duration byte_cost_per_kib = Duration{0};
  BitRate copy_rate = BitRate{80'000'000'000};
  Duration doorbell_cost = 100ns;

  static constexpr auto fields() {
    return std::tuple{
        field("at", &HostCpuConfig::at, "The root complex that it belongs to"),
        field("cores", &HostCpuConfig::cores, "Cores that serve receive and transmit queues, one a queue in turn")
            .at_least(1)
            .at_most(256),
        field("interrupt_cost", &HostCpuConfig::interrupt_cost, "Interrupt to the driver's poll loop")
            .at_most(longest_wait)
            .from("assumed"),
        field("wakeup_cost", &HostCpuConfig::wakeup_cost, "Waking the thread that waits for data")
            .at_most(longest_wait)
            .from("assumed"),
        field("packet_cost", &HostCpuConfig::packet_cost, "Driver and protocol work per packet")
            .at_most(longest_wait)
            .from("116.2 Gb/s of 4 KiB packets in one TCP flow on one core without copy: io_uring zcrx cover letter, "
                  "EPYC 9454"),
        field("byte_cost_per_kib", &HostCpuConfig::byte_cost_per_kib,
              "Protocol work per KiB of payload that the CPU touches without copying")
            .at_most(longest_step)
            .from("assumed"),
        field("copy_rate", &HostCpuConfig::copy_rate, "One core copying between two buffers in DRAM")
            .at_least(least_rate)
            .from("assumed"),
        field("doorbell_cost", &HostCpuConfig::doorbell_cost, "An MMIO write by a core")
            .at_most(longest_wait)
            .from("assumed")};
  }
};

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
            .at_most(65536)};
  }
};

/// Buffers of a receive ring that a frame can count on. Drivers tell of new buffers in batches, so the last of a ring
/// may not be posted before some are used: Linux's gve tells of 32 at a time, in rings of 64 and more.
constexpr std::int64_t sure_buffers(std::int64_t ring_entries) { return ring_entries / 2; }

/// A 200 Gb/s Ethernet NIC with header split, receive-side scaling and flow steering.
struct NicConfig {
  FunctionConfig function{};
  BitRate wire_rate = 200_Gbps;
  int queues = 4;
  int ring_entries = 1024;
  Bytes buffer_size = 4_KiB;
  Bytes header_buffer_size = 256_B;
  bool header_split = true;
  Bytes rx_fifo = 512_KiB;
  Bytes tx_fifo = 256_KiB;
  Duration pipeline_latency = 300ns;
  int prefetch = 32;
  int writeback_batch = 4;
  Duration writeback_timeout = 1us;
  Duration interrupt_moderation = 20us;
  int interrupt_frames = 64;
  Bytes mtu = 9000_B;
  std::optional<AtsConfig> ats{};

  static constexpr auto fields() {
    return std::tuple{
        field("function", &NicConfig::function, "PCIe function"),
        field("wire_rate", &NicConfig::wire_rate, "Line rate of the Ethernet port")
            .at_least(1_Gbps)
            .at_most(BitRate{1'600'000'000'000}),
        field("queues", &NicConfig::queues, "Receive queues, and as many transmit queues").at_least(1).at_most(1024),
        field("ring_entries", &NicConfig::ring_entries, "Entries of each ring; a power of two")
            .at_least(16)
            .at_most(32768),
        field("buffer_size", &NicConfig::buffer_size, "Size of a posted receive buffer")
            .at_least(256_B)
            .at_most(64_KiB),
        field("header_buffer_size", &NicConfig::header_buffer_size, "Size of a header buffer")
            .at_least(64_B)
            .at_most(1024_B),
        field("header_split", &NicConfig::header_split, "Headers to header buffers, payload to payload buffers"),
        field("rx_fifo", &NicConfig::rx_fifo,
              "On-chip buffer for frames that wait for PCIe or for a buffer; drops when full")
            .from("assumed"),
        field("tx_fifo", &NicConfig::tx_fifo,
              "On-chip buffer for packets that are being read from memory or wait for the wire")
            .at_least(16_KiB)
            .from("assumed"),
        field("pipeline_latency", &NicConfig::pipeline_latency, "Last bit in to first DMA, without waiting")
            .at_most(longest_wait)
            .from("assumed"),
        field("prefetch", &NicConfig::prefetch, "Buffer descriptors fetched at a time").at_least(1).at_most(256),
        field("writeback_batch", &NicConfig::writeback_batch, "Completions written together").at_least(1).at_most(64),
        field("writeback_timeout", &NicConfig::writeback_timeout, "Longest wait for a batch to fill")
            .at_most(longest_wait),
        field("interrupt_moderation", &NicConfig::interrupt_moderation, "Least time between interrupts of one queue")
            .at_most(longest_wait),
        field("interrupt_frames", &NicConfig::interrupt_frames,
              "Frames that cause an interrupt before that time is over")
            .at_least(1),
        field("mtu", &NicConfig::mtu, "Largest IP packet").at_least(576_B).at_most(65535_B),
        field("ats", &NicConfig::ats, "Translates its addresses itself (ATS); absent: leaves it to the IOMMU")};
  }
};

/// A card that does nothing but DMA: the benchmark card of pcie-bench, or a load generator.
struct DmaCardConfig {
  FunctionConfig function{};
  Bytes memory = 64_MiB;
  std::optional<BusAddress> bar_address{};
  int outstanding = 64;
  Duration read_issue = Duration{0};
  Duration write_issue = Duration{0};
  Duration command = Duration{0};
  Duration write_chunk = Duration{0};
  Duration read_beat = Duration{0};
  Duration completion = Duration{0};
  Duration store = Duration{0};
  Duration turnaround = Duration{0};
  bool ecrc = false;

  static constexpr auto fields() {
    return std::tuple{
        field("function", &DmaCardConfig::function, "PCIe function"),
        field("memory", &DmaCardConfig::memory, "Memory behind its BAR; a power of two"),
        field("bar_address", &DmaCardConfig::bar_address,
              "Where firmware put that BAR, if it matters: a multiple of its size"),
        field("outstanding", &DmaCardConfig::outstanding, "DMA transfers in flight").at_least(1).at_most(65536),
        field("read_issue", &DmaCardConfig::read_issue, "Least time between the starts of two reads")
            .at_most(longest_wait),
        field("write_issue", &DmaCardConfig::write_issue, "Least time between the starts of two writes")
            .at_most(longest_wait),
        field("command", &DmaCardConfig::command,
              "One internal command of the DMA engine: each transfer has at least one")
            .at_most(longest_step),
        field("write_chunk", &DmaCardConfig::write_chunk, "DMA engine fetching 128 B of card memory to write it")
            .at_most(longest_step),
        field("read_beat", &DmaCardConfig::read_beat,
              "32 B on the card's internal bus, four of which a read of more than a line waits for")
            .at_most(longest_step),
        field("completion", &DmaCardConfig::completion, "Taking in one completion TLP, beside its data at link rate")
            .at_most(longest_step),
        field("store", &DmaCardConfig::store, "Storing 128 B that were read in card memory").at_most(longest_step),
        field("turnaround", &DmaCardConfig::turnaround, "Between a DMA write done and a dependent read")
            .at_most(longest_wait),
        field("ecrc", &DmaCardConfig::ecrc, "Adds a digest to each TLP that it sends")};
  }
};

}  // namespace peerpath::device
