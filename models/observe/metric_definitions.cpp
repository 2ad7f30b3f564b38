#include "observe/metric_definitions.hpp"

#include <string>
#include <vector>

#include "peerpath/base/nearest.hpp"
#include "scenario/traffic_stages.hpp"

namespace peerpath::observe {
namespace {

/// Whose metric it is.
enum class Owner {
  traffic,
  traffic_link,
  direction,
  link,
  cpu,
  memory,
  gpu,
  nic,
  nvme,
  odp_nic,
  gpunet_proxy,
  root_complex,
  run
};

struct Definition {
  Owner owner{};
  std::string_view name;  ///< behind the owner's; a "*" stands for any text
  std::string_view unit;  ///< "1" for counts and ratios
  std::string_view meaning;
  std::string_view from{}, until{};  ///< of what takes time: the events between which it is measured
};

std::string_view pattern_of(Owner owner) {
  switch (owner) {
    case Owner::traffic:
      return "<traffic>";
    case Owner::traffic_link:
      return "<traffic>.<link>";
    case Owner::direction:
      return "<link>.<up|down>";
    case Owner::link:
      return "<link>";
    case Owner::cpu:
      return "<host_cpu>";
    case Owner::memory:
      return "<host_memory or gpu>";
    case Owner::gpu:
      return "<gpu>";
    case Owner::nic:
      return "<nic>";
    case Owner::nvme:
      return "<nvme>";
    case Owner::odp_nic:
      return "<odp_nic>";
    case Owner::gpunet_proxy:
      return "<gpunet_proxy>";
    case Owner::root_complex:
      return "<root_complex>";
    case Owner::run:
      return "run";
  }
  return "";
}

constexpr std::string_view latency_from =
    "receive: the last bit of the frame arrives from the wire. transmit: the driver accepts the packet. write, read: "
    "the transfer is offered; for a dma_card's own engine, its first request is ready";
constexpr std::string_view latency_until =
    "receive: the application can use the whole packet, after completion entry, interrupt moderation, driver and "
    "copies. transmit: the driver has seen the completion entry. write: the target has received the last byte. read: "
    "the requester has received the last byte";
constexpr std::string_view arrives =
    "receive, write: a TLP with its data starts on the link of the target memory. transmit, read: it starts on the "
    "link of the NIC or requester. Bounced payload: the whole packet is done, as in latency";
constexpr std::string_view offers =
    "receive: the last bit of a frame arrives. transmit: the application would send a packet at the given rate. write, "
    "read: the arrival process generates a transfer, whether or not it can be started";

constexpr Definition definitions[] = {
    {Owner::traffic, "offered_gbps", "Gb/s",
     "User data offered in the measured window, divided by the length of the window.", offers},
    {Owner::traffic, "goodput_gbps", "Gb/s",
     "User data that reached its destination in the measured window, divided by the length of the window. Headers and "
     "refused or dropped data do not count; parts of unfinished transfers do.",
     arrives},
    {Owner::traffic, "offered_packets", "1", "Frames, packets or transfers offered in the window.", offers},
    {Owner::traffic, "delivered_packets", "1", "Frames, packets or transfers completed in the window.", "",
     latency_until},
    {Owner::traffic, "dropped_packets", "1",
     "Frames dropped by a NIC in the window; <nic>.dropped_* gives the reasons.", "the frame's last bit arrives"},
    {Owner::traffic, "payload_bytes", "B", "User data that reached its destination in the window.", arrives},
    {Owner::traffic, "queued_at_begin_bytes", "B",
     "User data in flight at the beginning of the window (at the source, in queues, on links): offered, but not yet "
     "delivered, dropped or refused. Messages of GPU socket programs are in flight until they end, also after a failed "
     "access."},
    {Owner::traffic, "queued_at_end_bytes", "B",
     "User data in flight at the end of the window; see queued_at_begin_bytes."},
    {Owner::traffic, "loss_percent", "%", "dropped_packets as a percentage of offered_packets."},
    {Owner::traffic, "failed_transfers", "1", "Payload transactions that failed in the window."},
    {Owner::traffic, "all_ones_bytes", "B",
     "Data of reads that failed in the window, without the part that arrived; the requester receives all ones."},
    {Owner::traffic, "lost_bytes", "B",
     "Data of writes in the window that no completer accepted, without the part that arrived. A staged copy goes on "
     "after such a write to host memory: its bytes count as delivered too."},
    {Owner::traffic, "latency_min_ns", "ns", "Minimum latency of packets or transfers completed in the window.",
     latency_from, latency_until},
    {Owner::traffic, "latency_mean_ns", "ns", "Mean latency of packets or transfers completed in the window.",
     latency_from, latency_until},
    {Owner::traffic, "latency_p50_ns", "ns", "Median latency of packets or transfers completed in the window.",
     latency_from, latency_until},
    {Owner::traffic, "latency_p90_ns", "ns", "90th percentile of latency.", latency_from, latency_until},
    {Owner::traffic, "latency_p99_ns", "ns", "99th percentile of latency.", latency_from, latency_until},
    {Owner::traffic, "latency_p999_ns", "ns", "99.9th percentile of latency.", latency_from, latency_until},
    {Owner::traffic, "latency_max_ns", "ns", "Maximum latency of packets or transfers completed in the window.",
     latency_from, latency_until},
    {Owner::traffic, "payload_crossings", "1",
     "Average number of links crossed by the entry's user data: its payload on all directions of all links, divided by "
     "payload_bytes. It is 2 between two devices of one switch."},
    {Owner::traffic_link, "payload_crossings", "1",
     "Average number of times that the entry's user data crossed this link: its payload on both directions, divided by "
     "its payload_bytes. Bounced payload that one GPU copies for several entries is attributed in proportion to "
     "delivered bytes."},
    {Owner::link, "payload_crossings", "1",
     "Average number of times that user data of all traffic crossed this link: payload on both directions, divided by "
     "all payload_bytes."},
    {Owner::direction, "payload_bytes", "B", "Data of TLPs that carry user data, in whole double words.",
     "a TLP starts on this direction of the link"},
    {Owner::direction, "header_bytes", "B", "Data of TLPs that carry protocol headers split from payload.",
     "a TLP starts"},
    {Owner::direction, "descriptor_bytes", "B", "Data of TLPs that carry descriptors.", "a TLP starts"},
    {Owner::direction, "completion_entry_bytes", "B", "Data of TLPs that carry completion entries.", "a TLP starts"},
    {Owner::direction, "doorbell_bytes", "B", "Data of doorbell writes.", "a TLP starts"},
    {Owner::direction, "interrupt_bytes", "B", "Data of MSI-X writes.", "a TLP starts"},
    {Owner::direction, "control_bytes", "B",
     "Data of TLPs that carry packets without user data, and of address translation.", "a TLP starts"},
    {Owner::direction, "retransmission_bytes", "B", "User data retransmitted by TCP.", "a TLP starts"},
    {Owner::direction, "overhead_bytes", "B", "TLP headers, digests and framing.", "a TLP starts"},
    {Owner::direction, "dllp_bytes", "B", "Link-layer packets (DLLPs): ACK and UpdateFC."},
    {Owner::direction, "wire_bytes", "B", "All bytes on the wire: TLPs and DLLPs."},
    {Owner::direction, "tlps", "1", "Number of TLPs.", "a TLP starts"},
    {Owner::direction, "dllps", "1", "Number of link-layer packets (DLLPs)."},
    {Owner::direction, "payload_gbps", "Gb/s", "payload_bytes divided by the length of the window."},
    {Owner::direction, "wire_gbps", "Gb/s", "wire_bytes divided by the length of the window."},
    {Owner::direction, "utilisation_percent", "%",
     "Percentage of the window in which the line sends TLPs, DLLPs or replays."},
    {Owner::direction, "queued_tlps", "TLPs", "Average number of TLPs waiting to start on this direction.",
     "the TLP is ready", "it starts"},
    {Owner::direction, "credit_stall_percent", "%",
     "Percentage of the window in which the line was free while TLPs waited for credits.", "", ""},
    {Owner::direction, "replays", "1", "TLPs retransmitted after a bit error."},
    {Owner::cpu, "cores_busy", "cores", "Average number of busy cores."},
    {Owner::cpu, "utilisation_percent", "%", "Average utilisation of all cores."},
    {Owner::cpu, "busiest_core_percent", "%", "Utilisation of the busiest core."},
    {Owner::cpu, "copied_bytes", "B", "Bytes copied by the cores."},
    {Owner::cpu, "copied_gbps", "Gb/s", "copied_bytes divided by the length of the window."},
    {Owner::cpu, "interrupts", "1", "Interrupts handled by the cores."},
    {Owner::cpu, "polls", "1", "Iterations of the drivers' poll loops."},
    {Owner::memory, "read_bytes", "B", "Bytes read from the memory over PCIe and by cores."},
    {Owner::memory, "written_bytes", "B",
     "Bytes written to the memory over PCIe and by cores, refused writes excluded."},
    {Owner::memory, "read_gbps", "Gb/s", "read_bytes divided by the length of the window."},
    {Owner::memory, "written_gbps", "Gb/s", "written_bytes divided by the length of the window."},
    {Owner::memory, "utilisation_percent", "%",
     "Utilisation of the read or the write bandwidth, whichever is higher; for a GPU, peer accesses only."},
    {Owner::memory, "cache_read_hits", "1", "Cache lines read by devices that hit the last-level cache."},
    {Owner::memory, "cache_read_misses", "1", "Cache lines read by devices from DRAM."},
    {Owner::memory, "cache_write_hits", "1", "Cache lines written by devices that hit the last-level cache."},
    {Owner::memory, "cache_write_misses", "1", "Cache lines written by devices that missed the last-level cache."},
    {Owner::gpu, "bar1_size_bytes", "B", "Size of the window through which peers reach the GPU's memory."},
    {Owner::gpu, "bar1_used_bytes", "B", "Part of the window that is mapped or reserved by the driver."},
    {Owner::gpu, "bar1_refused", "1", "Registrations that did not fit the window."},
    {Owner::gpu, "bar1_remaps", "1", "Pieces of memory mapped by evicting others."},
    {Owner::gpu, "bar1_waiting_ns", "ns", "Time that transfers waited for remapping, summed.",
     "the transfer is offered", "its piece is mapped"},
    {Owner::gpu, "copies", "1", "Copies completed by the copy engines."},
    {Owner::nic, "rx_waited_fetch", "1", "Frames in the window that waited for a descriptor fetch."},
    {Owner::nic, "rx_waited_ring", "1", "Frames in the window that waited for the driver to post buffers."},
    {Owner::nic, "dropped_*", "1",
     "Frames dropped, by reason: fifo_full (PCIe too slow), no_buffer, too_long, malformed, queue_stopped, link_down.",
     "the frame's last bit arrives"},
    {Owner::nic, "rx_fifo_peak_bytes", "B", "Peak level of the receive FIFO since the start."},
    {Owner::nic, "interrupts", "1", "Interrupts sent."},
    {Owner::nic, "descriptor_reads", "1", "Reads of buffer and transmit descriptors."},
    {Owner::nic, "completion_writes", "1", "Writes of completion entries."},
    {Owner::nic, "rx_descriptors", "1", "Buffer descriptors read."},
    {Owner::nic, "rx_descriptor_bytes", "B", "Bytes of these descriptors or completion entries."},
    {Owner::nic, "rx_completions", "1", "Completion entries written for received packets."},
    {Owner::nic, "rx_completion_bytes", "B", "Bytes of these descriptors or completion entries."},
    {Owner::nic, "tx_descriptors", "1", "Transmit descriptors read."},
    {Owner::nic, "tx_descriptor_bytes", "B", "Bytes of these descriptors or completion entries."},
    {Owner::nic, "tx_completions", "1", "Completion entries written for sent packets."},
    {Owner::nic, "tx_completion_bytes", "B", "Bytes of these descriptors or completion entries."},
    {Owner::nic, "ats_hits", "1", "Page accesses that hit the device's translation cache (ATC)."},
    {Owner::nic, "ats_requests", "1", "Translation requests (ATS) sent."},
    {Owner::nic, "page_requests", "1", "Page requests (PRI) sent."},
    {Owner::nvme, "read_commands", "1", "NVMe Reads completed."},
    {Owner::nvme, "write_commands", "1", "NVMe Writes completed."},
    {Owner::nvme, "failed_commands", "1", "NVMe commands completed with an error because data did not arrive."},
    {Owner::nvme, "medium_read_bytes", "B", "Data of NVMe Reads."},
    {Owner::nvme, "medium_written_bytes", "B", "Data of NVMe Writes."},
    {Owner::nvme, "fetches", "1", "Reads of submission queues."},
    {Owner::nvme, "interrupts", "1", "Interrupts sent."},
    {Owner::nvme, "doorbells", "1", "Doorbell writes."},
    {Owner::nvme, "queue_depth", "1", "Average number of commands in flight.", "the command is submitted",
     "its completion is processed"},
    {Owner::odp_nic, "host_bytes", "B", "Payload written to or read from pages in host memory."},
    {Owner::odp_nic, "peer_bytes", "B", "Payload written to or read from pages in the GPU through their aliases."},
    {Owner::odp_nic, "messages", "1", "Messages that completed or failed."},
    {Owner::odp_nic, "failed_messages", "1", "Messages that failed because of a refused fault or a failed access."},
    {Owner::odp_nic, "page_faults", "1",
     "Page faults; further accesses to a page before its translation exists do not count."},
    {Owner::odp_nic, "rnr_naks", "1", "Packets answered with RNR NAK and retransmitted by the peer."},
    {Owner::odp_nic, "migrations_to_host", "1", "Pages migrated from the GPU to host memory."},
    {Owner::odp_nic, "migrations_to_gpu", "1", "Pages migrated back to the GPU because a kernel touched them."},
    {Owner::odp_nic, "migrated_bytes", "B", "Bytes moved by the GPU's copy engine for migrations in both directions."},
    {Owner::odp_nic, "aliases", "1", "Pages mapped into the GPU's window."},
    {Owner::odp_nic, "displaced_aliases", "1", "Pages removed from the window to make room for others."},
    {Owner::odp_nic, "invalidations", "1", "Translations invalidated by the driver."},
    {Owner::odp_nic, "invalidations_in_flight", "1", "Invalidations that had to wait for DMA in flight."},
    {Owner::odp_nic, "fallbacks_full", "1", "Faults that migrated the page because the aperture was full."},
    {Owner::odp_nic, "fallbacks_unreachable", "1",
     "Faults that migrated the page because p2pdma returned NOT_SUPPORTED (ACS, host bridge)."},
    {Owner::odp_nic, "refused_faults", "1", "Faults that could not be served; the queue pair enters the error state."},
    {Owner::odp_nic, "gpu_faults", "1", "Kernel stores that faulted because the page was in host memory."},
    {Owner::odp_nic, "lost_bytes", "B", "Content check since the start: bytes missing from pages."},
    {Owner::odp_nic, "repeated_bytes", "B", "Content check since the start: bytes written to pages more than once."},
    {Owner::odp_nic, "wrong_pages", "1", "Content check since the start: pages with unexpected content."},
    {Owner::odp_nic, "stale_reads", "1", "Content check since the start: packets read from a stale copy of a page."},
    {Owner::odp_nic, "first_byte_ns", "ns", "Time to first byte.", "the start", "the first payload is in memory"},
    {Owner::odp_nic, "fault_ns", "ns", "Mean duration of a fault.", "the NIC finds no translation",
     "it receives the translation or a refusal"},
    {Owner::gpunet_proxy, "sends", "1", "send calls for data of the GPU."},
    {Owner::gpunet_proxy, "sent_entries", "1", "Entries of the GPU sent by these calls."},
    {Owner::gpunet_proxy, "receives", "1", "recv calls that returned data."},
    {Owner::gpunet_proxy, "work_requests", "1", "Work requests posted to the NIC."},
    {Owner::gpunet_proxy, "completions", "1", "Receive completions of the NIC."},
    {Owner::gpunet_proxy, "stalls", "1", "Polls that stalled for lack of a credit, ring space or a buffer."},
    {Owner::gpunet_proxy, "gpu_polls", "1", "Polls of host memory by the GPU."},
    {Owner::gpunet_proxy, "gpu_entries", "1", "Entries consumed by the GPU."},
    {Owner::root_complex, "iommu_misses_of_size", "1",
     "Estimated misses that an IOTLB with twice the entries would avoid."},
    {Owner::root_complex, "iommu_hits", "1", "Requests that hit the IOTLB."},
    {Owner::root_complex, "iommu_misses", "1", "Requests that missed the IOTLB and caused a page walk."},
    {Owner::root_complex, "iommu_flushes", "1", "Number of IOTLB flushes."},
    {Owner::root_complex, "iommu_walkers_percent", "%", "Utilisation of the page walkers."},
    {Owner::run, "simulated_ns", "ns", "Length of the measured window.", "warm-up ends", "the run ends"},
    {Owner::run, "blocked_queues", "1", "Queues that are permanently blocked."},
    {Owner::run, "deadlock_cycle", "1", "Blocked queues that wait for each other in a cycle."},
};

struct Quantile {
  std::string_view name, meaning;
};

constexpr Quantile quantiles[] = {{"p50", "Median of "}, {"p99", "99th percentile of "}};

/// Shows `see` the definition of each metric.
template <class See>
void each_definition(const See& see) {
  for (const auto& definition : definitions) see(definition);
  for (const auto& stage : scenario::traffic::all_stages())
    for (const auto& quantile : quantiles) {
      const auto name = "latency_" + std::string{stage.name} + "_" + std::string{quantile.name} + "_ns";
      const auto meaning = std::string{quantile.meaning} + std::string{stage.of} + " " + std::string{stage.name} +
                           ": " + std::string{stage.meaning};
      see(Definition{Owner::traffic, name, "ns", meaning, stage.from, stage.until});
    }
}

bool is_called(const Definition& definition, std::string_view last) {
  const auto star = definition.name.find('*');
  return star == definition.name.npos ? definition.name == last : last.starts_with(definition.name.substr(0, star));
}

/// Whether the text before the last dot may be the owner's name.
bool may_own(Owner owner, std::string_view before) {
  const bool side = before == "up" || before == "down" || before.ends_with(".up") || before.ends_with(".down");
  if (before.empty()) return true;
  if (owner == Owner::run) return before == "run";
  if (owner == Owner::direction) return side;
  return !side && before != "run";
}

std::string described(const Definition& definition) {
  auto text = std::string{pattern_of(definition.owner)} + "." + std::string{definition.name} + ": " +
              (definition.unit == "1" ? "a number" : std::string{definition.unit}) + "\n    " +
              std::string{definition.meaning} + "\n";
  const bool takes_time = !definition.until.empty();
  if (!definition.from.empty())
    text += (takes_time ? "    from: " : "    counts when: ") + std::string{definition.from} + "\n";
  if (takes_time)
    text += (definition.from.empty() ? "    counts when: " : "    until: ") + std::string{definition.until} + "\n";
  return text;
}

}  // namespace

std::optional<std::string> explain_metric(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto last = dot == name.npos ? name : name.substr(dot + 1);
  const auto before = dot == name.npos ? std::string_view{} : name.substr(0, dot);
  std::string text;
  each_definition([&](const Definition& definition) {
    if (is_called(definition, last) && may_own(definition.owner, before)) text += described(definition);
  });
  return text.empty() ? std::nullopt : std::optional{text};
}

std::string nearest_metric(std::string_view word) {
  const auto dot = word.rfind('.');
  const auto last = dot == word.npos ? word : word.substr(dot + 1);
  std::vector<std::string> names;
  each_definition([&](const Definition& definition) { names.emplace_back(definition.name); });
  const auto found = nearest(last, names);
  return found.empty() ? "" : std::string{word.substr(0, dot == word.npos ? 0 : dot + 1)} + std::string{found};
}

}  // namespace peerpath::observe
