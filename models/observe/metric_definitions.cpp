#include "observe/metric_definitions.hpp"

#include <algorithm>
#include <vector>

#include "peerpath/base/nearest.hpp"

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
    "receive: the last bit of the frame comes in from the wire. transmit: the driver takes the packet up. write, read: "
    "the transfer is offered; by an engine of a dma_card, its first request is ready";
constexpr std::string_view latency_until =
    "receive: the application may use all of it, after completion entry, interrupt moderation, driver and copies. "
    "transmit: the driver has seen the completion entry. write: the target has taken in the last byte. read: the "
    "requester has the last byte";
constexpr std::string_view arrives =
    "receive, write: a TLP of it starts on the own link of the memory that it is for. transmit, read: on that of the "
    "NIC "
    "or requester. What is bounced: the whole packet is done, as in latency";
constexpr std::string_view offers =
    "receive: the last bit of a frame comes in. transmit: the application would send a packet at the given rate. "
    "write, "
    "read: the arrival law has a transfer ready. Whether anything takes it up does not matter";

constexpr Definition definitions[] = {
    {Owner::traffic, "offered_gbps", "Gb/s", "User data offered in the measured window, over the window's length.",
     offers},
    {Owner::traffic, "goodput_gbps", "Gb/s",
     "User data that came to its destination in the measured window, over the window's length; headers of any layer, "
     "what was refused and what was dropped do not count. Part of a transfer that is under way counts.",
     arrives},
    {Owner::traffic, "offered_packets", "1", "Frames, packets or transfers offered in the window.", offers},
    {Owner::traffic, "delivered_packets", "1", "Frames, packets or transfers that were done in the window.", "",
     latency_until},
    {Owner::traffic, "dropped_packets", "1",
     "Frames of the window that a NIC did not receive; <nic>.dropped_* say why.", "the frame's last bit comes in"},
    {Owner::traffic, "payload_bytes", "B", "User data that came to its destination in the window.", arrives},
    {Owner::traffic, "queued_at_begin_bytes", "B",
     "User data offered since the start that had neither arrived nor been dropped or refused as the window began: at "
     "its source, in queues, on links. Dropped frames count as frames of the mean size."},
    {Owner::traffic, "queued_at_end_bytes", "B", "The same as the window ended."},
    {Owner::traffic, "loss_percent", "%", "dropped_packets, of offered_packets."},
    {Owner::traffic, "failed_transfers", "1", "Transactions of its payload that did not end in success in the window."},
    {Owner::traffic, "all_ones_bytes", "B", "Reads that failed in the window: the requester finds ones in every bit."},
    {Owner::traffic, "lost_bytes", "B", "Writes of the window that no completer took."},
    {Owner::traffic, "latency_min_ns", "ns", "Least latency of what was done in the window.", latency_from,
     latency_until},
    {Owner::traffic, "latency_mean_ns", "ns", "Mean latency of what was done in the window.", latency_from,
     latency_until},
    {Owner::traffic, "latency_p50_ns", "ns", "Latency that half of what was done in the window do not exceed.",
     latency_from, latency_until},
    {Owner::traffic, "latency_p90_ns", "ns", "Latency that 90 % do not exceed.", latency_from, latency_until},
    {Owner::traffic, "latency_p99_ns", "ns", "Latency that 99 % do not exceed.", latency_from, latency_until},
    {Owner::traffic, "latency_p999_ns", "ns", "Latency that 99.9 % do not exceed.", latency_from, latency_until},
    {Owner::traffic, "latency_max_ns", "ns", "Largest latency of what was done in the window.", latency_from,
     latency_until},
    {Owner::traffic, "latency_pipeline_p50_ns", "ns", "Median of the stage pipeline: parsing in the NIC.",
     "the last bit of the frame comes in", "it has been parsed"},
    {Owner::traffic, "latency_pipeline_p99_ns", "ns",
     "What 99 % do not exceed of the stage pipeline: parsing in the NIC.", "the last bit of the frame comes in",
     "it has been parsed"},
    {Owner::traffic, "latency_post_p50_ns", "ns",
     "Median of the stage post: the driver, of bounced payload its copies.", "the driver takes the packet up",
     "its doorbell leaves"},
    {Owner::traffic, "latency_post_p99_ns", "ns",
     "What 99 % do not exceed of the stage post: the driver, of bounced payload its copies.",
     "the driver takes the packet up", "its doorbell leaves"},
    {Owner::traffic, "latency_descriptor_p50_ns", "ns",
     "Median of the stage descriptor: waiting for descriptors and room.",
     "receive: it has been parsed. transmit: the doorbell leaves", "its first DMA can start"},
    {Owner::traffic, "latency_descriptor_p99_ns", "ns",
     "What 99 % do not exceed of the stage descriptor: waiting for descriptors and room.",
     "receive: it has been parsed. transmit: the doorbell leaves", "its first DMA can start"},
    {Owner::traffic, "latency_dma_p50_ns", "ns",
     "Median of the stage dma: DMA: queues, credits, translation and the way.", "its first DMA can start",
     "its last byte has arrived"},
    {Owner::traffic, "latency_dma_p99_ns", "ns",
     "What 99 % do not exceed of the stage dma: DMA: queues, credits, translation and the way.",
     "its first DMA can start", "its last byte has arrived"},
    {Owner::traffic, "latency_writeback_p50_ns", "ns", "Median of the stage writeback: the completion entry.",
     "its last byte has arrived", "its completion entry is in host memory"},
    {Owner::traffic, "latency_writeback_p99_ns", "ns",
     "What 99 % do not exceed of the stage writeback: the completion entry.", "its last byte has arrived",
     "its completion entry is in host memory"},
    {Owner::traffic, "latency_moderation_p50_ns", "ns",
     "Median of the stage moderation: the interrupt, which moderation holds back.",
     "its completion entry is in host memory", "the interrupt arrives"},
    {Owner::traffic, "latency_moderation_p99_ns", "ns",
     "What 99 % do not exceed of the stage moderation: the interrupt, which moderation holds back.",
     "its completion entry is in host memory", "the interrupt arrives"},
    {Owner::traffic, "latency_driver_p50_ns", "ns", "Median of the stage driver: interrupt, core and driver.",
     "the interrupt arrives", "as latency"},
    {Owner::traffic, "latency_driver_p99_ns", "ns",
     "What 99 % do not exceed of the stage driver: interrupt, core and driver.", "the interrupt arrives", "as latency"},
    {Owner::traffic, "latency_store_p50_ns", "ns", "Median of the stage store of gpunet: gsend.", "the block sends",
     "its entry is in host memory, or it has rung the NIC's doorbell"},
    {Owner::traffic, "latency_store_p99_ns", "ns", "What 99 % do not exceed of the stage store of gpunet: gsend.",
     "the block sends", "its entry is in host memory, or it has rung the NIC's doorbell"},
    {Owner::traffic, "latency_sweep_p50_ns", "ns",
     "Median of the stage sweep of gpunet: what is there lies until somebody looks.", "it is there",
     "the proxy, or the program, has it"},
    {Owner::traffic, "latency_sweep_p99_ns", "ns",
     "What 99 % do not exceed of the stage sweep of gpunet: what is there lies until somebody looks.", "it is there",
     "the proxy, or the program, has it"},
    {Owner::traffic, "latency_channel_p50_ns", "ns", "Median of the stage channel of gpunet: the call that sends.",
     "it begins", "the channel has taken the bytes"},
    {Owner::traffic, "latency_channel_p99_ns", "ns",
     "What 99 % do not exceed of the stage channel of gpunet: the call that sends.", "it begins",
     "the channel has taken the bytes"},
    {Owner::traffic, "latency_announce_p50_ns", "ns",
     "Median of the stage announce of gpunet: on the wire and at the receiver's proxy.",
     "the channel has taken the bytes", "the GPU is told of them"},
    {Owner::traffic, "latency_announce_p99_ns", "ns",
     "What 99 % do not exceed of the stage announce of gpunet: on the wire and at the receiver's proxy.",
     "the channel has taken the bytes", "the GPU is told of them"},
    {Owner::traffic, "latency_poll_p50_ns", "ns", "Median of the stage poll of gpunet: the GPU's look.",
     "the GPU is told of the bytes", "it has seen that"},
    {Owner::traffic, "latency_poll_p99_ns", "ns",
     "What 99 % do not exceed of the stage poll of gpunet: the GPU's look.", "the GPU is told of the bytes",
     "it has seen that"},
    {Owner::traffic, "latency_copy_p50_ns", "ns", "Median of the stage copy of gpunet: to the one who asked.",
     "it has been seen", "the bytes are with the block or the program"},
    {Owner::traffic, "latency_copy_p99_ns", "ns",
     "What 99 % do not exceed of the stage copy of gpunet: to the one who asked.", "it has been seen",
     "the bytes are with the block or the program"},
    {Owner::traffic, "latency_answer_p50_ns", "ns",
     "Median of the stage answer of gpunet: what the block does for an answer.", "it has the request",
     "the answer is in host memory"},
    {Owner::traffic, "latency_answer_p99_ns", "ns",
     "What 99 % do not exceed of the stage answer of gpunet: what the block does for an answer.", "it has the request",
     "the answer is in host memory"},
    {Owner::traffic, "payload_crossings", "1",
     "Links that the average byte of the entry's user data crossed: payload of the entry on all directions of all "
     "links, "
     "over payload_bytes. Between two leaves of one switch it is 2."},
    {Owner::traffic_link, "payload_crossings", "1",
     "Times that the average byte of the entry's user data crossed this link: its payload on both directions, over its "
     "payload_bytes. 0 is: not at all. Entries whose bounced payload one GPU copies the same way share what it carries "
     "by how much of each arrived."},
    {Owner::link, "payload_crossings", "1",
     "The same of all traffic together: payload on both directions of the link, over all payload_bytes."},
    {Owner::direction, "payload_bytes", "B", "Data of TLPs that carry user data, in whole double words.",
     "a TLP starts on this direction of the link"},
    {Owner::direction, "header_bytes", "B", "Data of TLPs that carry protocol headers split from payload.",
     "a TLP starts"},
    {Owner::direction, "descriptor_bytes", "B", "Data of TLPs that carry descriptors.", "a TLP starts"},
    {Owner::direction, "completion_entry_bytes", "B", "Data of TLPs that carry completion entries.", "a TLP starts"},
    {Owner::direction, "doorbell_bytes", "B", "Data of doorbell writes.", "a TLP starts"},
    {Owner::direction, "interrupt_bytes", "B", "Data of MSI-X writes.", "a TLP starts"},
    {Owner::direction, "control_bytes", "B", "Data of TLPs that carry packets without user data, and of translation.",
     "a TLP starts"},
    {Owner::direction, "retransmission_bytes", "B", "User data that TCP sent again.", "a TLP starts"},
    {Owner::direction, "overhead_bytes", "B", "TLP headers, digests, framing.", "a TLP starts"},
    {Owner::direction, "dllp_bytes", "B", "Link-layer packets: ACK, UpdateFC."},
    {Owner::direction, "wire_bytes", "B", "All of the above together."},
    {Owner::direction, "tlps", "1", "TLPs.", "a TLP starts"},
    {Owner::direction, "dllps", "1", "Link-layer packets."},
    {Owner::direction, "payload_gbps", "Gb/s", "payload_bytes over the window's length."},
    {Owner::direction, "wire_gbps", "Gb/s", "wire_bytes over the window's length."},
    {Owner::direction, "utilisation_percent", "%",
     "Part of the window in which the line sends TLPs, DLLPs or what is replayed."},
    {Owner::direction, "queueing_percent", "%",
     "TLPs that wait to start on this direction, on average over the window, times 100.", "the TLP could go on",
     "it starts"},
    {Owner::direction, "credit_stall_percent", "%",
     "Part of queueing in which the line was free and credits were missing, over the window.", "", ""},
    {Owner::direction, "replays", "1", "TLPs sent again after a bit error."},
    {Owner::cpu, "cores_busy", "cores", "Cores at work, on average over the window."},
    {Owner::cpu, "utilisation_percent", "%", "Busy part of all cores."},
    {Owner::cpu, "busiest_core_percent", "%", "Busy part of the core that had most to do."},
    {Owner::cpu, "copied_bytes", "B", "Bytes that cores copied."},
    {Owner::cpu, "copied_gbps", "Gb/s", "copied_bytes over the window's length."},
    {Owner::cpu, "interrupts", "1", "Interrupts that cores took."},
    {Owner::cpu, "polls", "1", "Rounds of the drivers' poll loops."},
    {Owner::memory, "read_bytes", "B", "Bytes read from it, by PCIe and by cores."},
    {Owner::memory, "written_bytes", "B", "Bytes written to it, by PCIe and by cores; what it refused does not count."},
    {Owner::memory, "read_gbps", "Gb/s", "read_bytes over the window's length."},
    {Owner::memory, "written_gbps", "Gb/s", "written_bytes over the window's length."},
    {Owner::memory, "utilisation_percent", "%",
     "The busier of its reads and writes, of their rate; of a GPU those of its peers."},
    {Owner::memory, "cache_read_hits", "1", "Lines that devices read and the last-level cache held."},
    {Owner::memory, "cache_read_misses", "1", "Lines that devices read from DRAM."},
    {Owner::memory, "cache_write_hits", "1", "Lines that devices wrote and the cache held."},
    {Owner::memory, "cache_write_misses", "1", "Lines that devices wrote and the cache did not hold."},
    {Owner::gpu, "bar1_size_bytes", "B", "Window through which peers reach its memory."},
    {Owner::gpu, "bar1_used_bytes", "B", "Of it, mapped or the driver's."},
    {Owner::gpu, "bar1_refused", "1", "Registrations that found no room in it."},
    {Owner::gpu, "bar1_remaps", "1", "Pieces of memory mapped in place of others."},
    {Owner::gpu, "bar1_waiting_ns", "ns", "Waiting for that, summed over the transfers that caused it.",
     "the transfer is offered", "its piece is mapped"},
    {Owner::gpu, "copies", "1", "Copies that its engines completed."},
    {Owner::nic, "rx_waited_fetch", "1",
     "Frames of the window that waited for descriptors of posted buffers to be read."},
    {Owner::nic, "rx_waited_ring", "1", "Frames of the window that waited for the driver to post buffers."},
    {Owner::nic, "dropped_*", "1",
     "Frames not received: fifo_full (PCIe took the data too slowly), no_buffer, too_long, malformed, queue_stopped, "
     "link_down.",
     "the frame's last bit comes in"},
    {Owner::nic, "rx_fifo_peak_bytes", "B", "Most that the receive FIFO held, since the start."},
    {Owner::nic, "interrupts", "1", "Interrupts that it sent."},
    {Owner::nic, "descriptor_reads", "1", "Reads of buffer and transmit descriptors."},
    {Owner::nic, "completion_writes", "1", "Writes of completion entries."},
    {Owner::nic, "rx_descriptors", "1", "Buffer descriptors that it read."},
    {Owner::nic, "rx_descriptor_bytes", "B", "Bytes of those."},
    {Owner::nic, "rx_completions", "1", "Completion entries that it wrote for received packets."},
    {Owner::nic, "rx_completion_bytes", "B", "Bytes of those."},
    {Owner::nic, "tx_descriptors", "1", "Transmit descriptors that it read."},
    {Owner::nic, "tx_descriptor_bytes", "B", "Bytes of those."},
    {Owner::nic, "tx_completions", "1", "Completion entries that it wrote for sent packets."},
    {Owner::nic, "tx_completion_bytes", "B", "Bytes of those."},
    {Owner::nic, "ats_hits", "1", "Pages that an access found translated in the device's cache."},
    {Owner::nic, "ats_requests", "1", "Translation requests (ATS)."},
    {Owner::nic, "page_requests", "1", "Page requests (PRI)."},
    {Owner::nvme, "read_commands", "1", "NVMe Reads that it completed."},
    {Owner::nvme, "write_commands", "1", "NVMe Writes that it completed."},
    {Owner::nvme, "failed_commands", "1", "Of these with an error, as data did not come."},
    {Owner::nvme, "medium_read_bytes", "B", "Data of its NVMe Reads."},
    {Owner::nvme, "medium_written_bytes", "B", "Data of its NVMe Writes."},
    {Owner::nvme, "fetches", "1", "Reads of its submission queues."},
    {Owner::nvme, "interrupts", "1", "Interrupts that it sent."},
    {Owner::nvme, "doorbells", "1", "Writes of its doorbells."},
    {Owner::nvme, "queue_depth", "1", "Commands in flight, mean over the window.", "the command is submitted",
     "its completion is taken"},
    {Owner::odp_nic, "host_bytes", "B", "Payload that went to or came from pages in host memory."},
    {Owner::odp_nic, "peer_bytes", "B", "Payload that went to or came from pages in the GPU, through their aliases."},
    {Owner::odp_nic, "messages", "1", "Messages that ended."},
    {Owner::odp_nic, "failed_messages", "1", "Of these in vain: a refused fault, or an access that failed."},
    {Owner::odp_nic, "page_faults", "1", "Pages that an access found without a translation; once until it has one."},
    {Owner::odp_nic, "rnr_naks", "1", "Packets that were answered with RNR NAK: the peer sends them again."},
    {Owner::odp_nic, "migrations_to_host", "1", "Pages that went from the GPU to host memory."},
    {Owner::odp_nic, "migrations_to_gpu", "1", "Pages that came back, as a kernel touched them."},
    {Owner::odp_nic, "migrated_bytes", "B", "Moved by the GPU's copy engine for these, both ways together."},
    {Owner::odp_nic, "aliases", "1", "Pages mapped into the GPU's window."},
    {Owner::odp_nic, "displaced_aliases", "1", "Pages in the window that gave way to others."},
    {Owner::odp_nic, "invalidations", "1", "Translations that the driver took from the NIC."},
    {Owner::odp_nic, "invalidations_in_flight", "1", "Of these, those that had to wait for DMA in flight."},
    {Owner::odp_nic, "fallbacks_full", "1", "Faults that migrated as the aperture was full."},
    {Owner::odp_nic, "fallbacks_unreachable", "1",
     "Faults that migrated as p2pdma said NOT_SUPPORTED: ACS, host bridge."},
    {Owner::odp_nic, "refused_faults", "1", "Faults that could not be served: the queue pair ends in error."},
    {Owner::odp_nic, "gpu_faults", "1", "Stores of a kernel that found their page in host memory."},
    {Owner::odp_nic, "lost_bytes", "B", "Content check, since the start: bytes that should stand in pages and do not."},
    {Owner::odp_nic, "repeated_bytes", "B", "Content check, since the start: bytes written to pages more than once."},
    {Owner::odp_nic, "wrong_pages", "1", "Content check, since the start: pages with other bytes than expected."},
    {Owner::odp_nic, "stale_reads", "1",
     "Content check, since the start: packets read from a copy that did not count."},
    {Owner::odp_nic, "first_byte_ns", "ns", "Time to first byte.", "the start", "the first payload is in memory"},
    {Owner::odp_nic, "fault_ns", "ns", "Time that a fault takes, mean over the window.", "the NIC finds no translation",
     "it has one, or hears that there is none"},
    {Owner::gpunet_proxy, "sends", "1", "Calls of send for the GPU's bytes."},
    {Owner::gpunet_proxy, "sent_entries", "1", "Entries of the GPU that went out with them."},
    {Owner::gpunet_proxy, "receives", "1", "Calls of recv that found something."},
    {Owner::gpunet_proxy, "work_requests", "1", "Work requests that it gave to its NIC."},
    {Owner::gpunet_proxy, "completions", "1", "Completions of its NIC about what has come."},
    {Owner::gpunet_proxy, "stalls", "1", "Looks at something that had no credit, no room or no buffer."},
    {Owner::gpunet_proxy, "gpu_polls", "1", "Looks of its GPU at host memory."},
    {Owner::gpunet_proxy, "gpu_entries", "1", "Entries that its GPU took."},
    {Owner::root_complex, "iommu_misses_of_size", "1",
     "Of the misses, those whose page an IOTLB of twice the entries would about have held."},
    {Owner::root_complex, "iommu_hits", "1", "Requests whose page the IOTLB held."},
    {Owner::root_complex, "iommu_misses", "1", "Requests that caused a page walk."},
    {Owner::root_complex, "iommu_flushes", "1", "Times that an IOTLB was emptied."},
    {Owner::root_complex, "iommu_walkers_percent", "%", "Busy part of all page walkers."},
    {Owner::run, "simulated_ns", "ns", "Length of the measured window.", "warm-up is over", "the run ends"},
    {Owner::run, "blocked_queues", "1", "Queues that nothing will ever move again."},
    {Owner::run, "deadlock_cycle", "1", "Of these, those that wait for each other in a circle."},
};

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
  for (const auto& definition : definitions)
    if (is_called(definition, last) && may_own(definition.owner, before)) text += described(definition);
  return text.empty() ? std::nullopt : std::optional{text};
}

std::string nearest_metric(std::string_view word) {
  const auto dot = word.rfind('.');
  const auto last = dot == word.npos ? word : word.substr(dot + 1);
  std::vector<std::string_view> names;
  for (const auto& definition : definitions) names.push_back(definition.name);
  const auto found = nearest(last, names);
  return found.empty() ? "" : std::string{word.substr(0, dot == word.npos ? 0 : dot + 1)} + std::string{found};
}

}  // namespace peerpath::observe
