#include "sc/counts.hpp"

#include <algorithm>

namespace peerpath::sc {
namespace {

using observe::Results;
using pcie::Purpose;

/// The one link of a leaf, and the direction towards it.
struct Leaf {
  std::size_t link = 0;
  std::size_t towards = 0;
};

Leaf leaf_of(const fabric::Topology& topology, fabric::NodeId node) {
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    if (topology.links[l].b == node) return {l, 0};
    if (topology.links[l].a == node) return {l, 1};
  }
  return {};
}

/// Data that went into and came out of the memory of a leaf by PCIe. Doorbells and interrupts are no memory; of its own
/// transactions its reads bring data in, and what it writes elsewhere comes out of memory only as payload.
host_memory::Load memory_load(const fabric::Topology& topology, fabric::NodeId node, const observe::Snapshot& before,
                              const observe::Snapshot& after) {
  const auto place = leaf_of(topology, node);
  host_memory::Load load;
  for (std::size_t requester = 0; requester < topology.nodes.size(); ++requester) {
    for (const auto& entry : enum_names(Purpose{})) {
      const Purpose purpose = entry.value;
      if (purpose == Purpose::doorbell || purpose == Purpose::interrupt) continue;
      const auto moved = [&](std::size_t direction) {
        return after.tally(place.link, direction, requester, purpose).payload -
               before.tally(place.link, direction, requester, purpose).payload;
      };
      load.written += moved(place.towards);
      if (requester != node.value() || purpose == Purpose::payload) load.read += moved(1 - place.towards);
    }
  }
  return load;
}

void add_count(Results& results, const std::string& name, const std::string& unit, std::int64_t value,
               const std::string& doc) {
  results.metrics.push_back({name, unit, {value, 0}, doc});
}

void fill_nic(Results& results, const std::string& name, const device::NicConfig& config, const nic::NicCounters& before,
              const nic::NicCounters& after, const Meter& meter, const std::vector<std::size_t>& entries, Duration window) {
  Bytes received{};
  for (const auto i : entries) received += meter.wire_bytes(static_cast<std::uint16_t>(i));
  for (const auto& [reason, drop] : nic::enum_names(nic::Drop{})) {
    const auto count = after.dropped(drop) - before.dropped(drop);
    add_count(results, name + ".dropped_" + std::string{reason}, "1", count, "Frames not received for this reason");
    Instant first = never;
    for (const auto i : entries) first = std::min(first, meter.first_drop(i, drop));
    if (count > 0) results.faults.push_back({name, "frame dropped: " + std::string{reason}, count, first});
  }
  add_count(results, name + ".rx_fifo_peak_bytes", "B", after.rx_fifo_peak.count(),
            "Most that the receive FIFO held, since the start");
  add_count(results, name + ".interrupts", "1", after.interrupts - before.interrupts, "Interrupts sent");
  add_count(results, name + ".descriptor_reads", "1", after.descriptor_reads - before.descriptor_reads,
            "Reads of buffer and transmit descriptors");
  add_count(results, name + ".completion_writes", "1", after.completion_writes - before.completion_writes,
            "Writes of completion entries");
  results.resources.push_back({name + " Ethernet receive", received / config.wire_rate, window, true});
  results.resources.push_back({name + " Ethernet transmit", after.wire_busy - before.wire_busy, window});
}

}  // namespace

Counts take_counts(Platform& platform, Instant now) {
  Counts counts;
  counts.when = now;
  counts.links = observe::take_snapshot(platform.domain.fabric(), platform.domain.topology().links.size());
  for (const auto& [name, nic] : platform.nics) counts.nics[name] = nic->behaviour().counters();
  for (const auto& [name, gpu] : platform.gpus) counts.copies[name] = gpu->behaviour().counters();
  for (const auto& [name, cpu] : platform.cpus)
    counts.cpus[name] = {cpu->behaviour().counters(), cpu->behaviour().busy_until(now)};
  return counts;
}

void fill(Results& results, const Platform& platform, const scenario::Scenario& scenario, const Meter& meter,
          const Counts& before, const Counts& after) {
  const auto& topology = platform.domain.topology();
  const auto window = after.when - before.when;
  results.links = observe::ledger(topology, platform.labels(), before.links, after.links);
  results.conservation = observe::conservation(topology, after.links, false);

  host_memory::Load by_cores;
  for (const auto& device : scenario.devices) {
    const auto& name = device.name;
    if (const auto* nic = std::get_if<device::NicConfig>(&device.config)) {
      std::vector<std::size_t> entries;
      for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
        if (scenario.traffic[i].from == name) entries.push_back(i);
      fill_nic(results, name, *nic, before.nics.at(name), after.nics.at(name), meter, entries, window);
    } else if (const auto* cpu = std::get_if<device::HostCpuConfig>(&device.config)) {
      const auto &a = before.cpus.at(name), &b = after.cpus.at(name);
      results.cpus.push_back({name, cpu->cores, b.busy - a.busy, b.counters.copied - a.counters.copied});
      by_cores.read += b.counters.dram_read - a.counters.dram_read;
      by_cores.written += b.counters.dram_written - a.counters.dram_written;
      add_count(results, name + ".interrupts", "1", b.counters.interrupts - a.counters.interrupts, "Interrupts taken");
      add_count(results, name + ".polls", "1", b.counters.polls - a.counters.polls, "Rounds of the drivers' poll loops");
    } else if (const auto* gpu = std::get_if<device::GpuConfig>(&device.config)) {
      const auto load = memory_load(topology, platform.node(name), before.links, after.links);
      results.memories.push_back({name, load.read, load.written, gpu->read_rate, gpu->write_rate});
      const auto &a = before.copies.at(name), &b = after.copies.at(name);
      results.resources.push_back({name + " copy engines", b.busy - a.busy, window * gpu->copy_engines});
      add_count(results, name + ".copies", "1", b.copies - a.copies, "Copies that its engines completed");
    }
  }
  for (const auto& device : scenario.devices) {
    if (const auto* memory = std::get_if<device::HostMemoryConfig>(&device.config)) {
      const auto load = memory_load(topology, platform.node(device.name), before.links, after.links);
      results.memories.push_back({device.name, load.read + by_cores.read, load.written + by_cores.written,
                                  memory->read_rate, memory->write_rate});
    }
  }
  for (const auto& [key, failure] : meter.failures()) {
    const auto what = key.second == pcie::Status::unsupported_request ? "unsupported request"
                      : key.second == pcie::Status::completer_abort  ? "completer abort" : "completion timeout";
    results.faults.push_back({topology.nodes[key.first.value()].name, what, failure.count, failure.first});
  }
}

}  // namespace peerpath::sc
