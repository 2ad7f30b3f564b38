#include "platform/counts.hpp"

#include <algorithm>

#include "core/devices/gpu/peer_reads.hpp"
#include "core/devices/host_memory/memory_gate.hpp"
#include "core/devices/root_complex/root_port.hpp"
#include "core/host/refused_writes.hpp"
#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/describe.hpp"

namespace peerpath::platform {
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

struct MemoryLoad {
  host_memory::Load all, own;  ///< `own`: of all, by the device itself
};

/// Data that went into and came out of the memory of a device by PCIe; what it refused did not. Doorbells and
/// interrupts are no memory; of its own transactions its reads bring data in, and what it writes elsewhere comes out of
/// memory only as payload.
MemoryLoad memory_load(const Platform& platform, const std::string& name, const Counts& before, const Counts& after) {
  const auto& topology = platform.domain.topology();
  const auto node = platform.node(name);
  const auto place = leaf_of(topology, node);
  MemoryLoad load;
  for (std::size_t requester = 0; requester < topology.nodes.size(); ++requester) {
    for (const auto& entry : enum_names(Purpose{})) {
      const Purpose purpose = entry.value;
      if (purpose == Purpose::doorbell || purpose == Purpose::interrupt) continue;
      const auto moved = [&](std::size_t direction) {
        return after.links.tally(place.link, direction, requester, purpose).payload -
               before.links.tally(place.link, direction, requester, purpose).payload;
      };
      const bool own = requester == node.value();
      const Bytes written = moved(place.towards);
      const Bytes read = own && purpose != Purpose::payload ? Bytes{0} : moved(1 - place.towards);
      load.all.written += written;
      load.all.read += read;
      if (!own) continue;
      load.own.written += written;
      load.own.read += read;
    }
  }
  if (after.refused.contains(name)) load.all.written -= after.refused.at(name) - before.refused.at(name);
  return load;
}

void add_count(Results& results, const std::string& name, const std::string& unit, std::int64_t value,
               const std::string& doc) {
  results.metrics.push_back({name, unit, observe::Decimal{value, 0}, doc});
}

void fill_ring(Results& results, const std::string& name, const nic::RingCounters& before,
               const nic::RingCounters& after) {
  add_count(results, name + "_descriptors", "1", after.descriptors - before.descriptors, "Descriptors read from rings");
  add_count(results, name + "_descriptor_bytes", "B", (after.descriptor_bytes - before.descriptor_bytes).count(),
            "Bytes of those descriptors");
  add_count(results, name + "_completions", "1", after.completions - before.completions, "Completion entries written");
  add_count(results, name + "_completion_bytes", "B", (after.completion_bytes - before.completion_bytes).count(),
            "Bytes of those entries");
}

void fill_nic(Results& results, const std::string& name, const nic::NicCounters& before, const nic::NicCounters& after,
              const Meter& meter, const std::vector<std::size_t>& entries, Duration window, Instant end) {
  Duration receiving{};
  for (const auto i : entries) receiving += meter.wire_busy(i, end);
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
  fill_ring(results, name + ".rx", before.rx_ring, after.rx_ring);
  fill_ring(results, name + ".tx", before.tx_ring, after.tx_ring);
  results.resources.push_back({name + " Ethernet receive", receiving, window, true});
  results.resources.push_back({name + " Ethernet transmit", after.wire_busy - before.wire_busy, window});
}

void fill_iommu(Results& results, const std::string& name, const device::IommuConfig& config,
                const std::vector<Counts::Iommu>& before, const std::vector<Counts::Iommu>& after, Duration window) {
  std::int64_t hits = 0, misses = 0, flushes = 0;
  Duration busiest{};
  for (std::size_t port = 0; port < after.size(); ++port) {
    const auto &a = before[port].counters, &b = after[port].counters;
    hits += b.hits - a.hits;
    misses += b.misses - a.misses;
    flushes += b.flushes - a.flushes;
    const auto walking = after[port].walking - before[port].walking;
    busiest = std::max(busiest, walking);
    if (walking > Duration{0})
      results.resources.push_back(
          {name + " IOMMU page walkers of root port " + std::to_string(port), walking, window * config.walkers});
  }
  add_count(results, name + ".iommu_hits", "1", hits, "Requests whose page the IOTLB held");
  add_count(results, name + ".iommu_misses", "1", misses, "Requests that caused a page walk");
  add_count(results, name + ".iommu_flushes", "1", flushes, "Times that an IOTLB was emptied");
  results.metrics.push_back(
      {name + ".iommu_walkers_percent", "%",
       observe::quotient(static_cast<WideInt>(busiest.count()) * 100, window.count() * config.walkers, 4),
       "How busy the page walkers of that root port were that had most to do"});
}

/// Of each root port that has been busy: `held` of `units` for writes and for reads.
void fill_ports(Results& results, const std::string& what, int write_units, int read_units,
                const std::vector<Counts::Taken>& before, const std::vector<Counts::Taken>& after, Duration window) {
  const auto add = [&](const std::string& kind, std::size_t port, Duration taken, int units) {
    if (taken > Duration{0})
      results.resources.push_back({what + " " + kind + " of root port " + std::to_string(port), taken, window * units});
  };
  for (std::size_t port = 0; port < after.size(); ++port) {
    add("writes", port, after[port].writes - before[port].writes, write_units);
    add("reads", port, after[port].reads - before[port].reads, read_units);
  }
}

void fill_cache(Results& results, const std::string& name, const host::CacheCounters& before,
                const host::CacheCounters& after) {
  const auto add = [&](const char* what, std::int64_t host::CacheCounters::*count, const char* doc) {
    add_count(results, name + what, "1", after.*count - before.*count, doc);
  };
  add(".cache_read_hits", &host::CacheCounters::read_hits, "Lines that devices read and the last-level cache held");
  add(".cache_read_misses", &host::CacheCounters::read_misses, "Lines that devices read from DRAM");
  add(".cache_write_hits", &host::CacheCounters::write_hits, "Lines that devices wrote and the cache held");
  add(".cache_write_misses", &host::CacheCounters::write_misses, "Lines that devices wrote and the cache did not hold");
}

/// The windows of all GPUs; what was not mapped is a fault besides.
void fill_windows(Results& results, const Platform& platform, const scenario::Scenario& scenario, const Counts& before,
                  const Counts& after) {
  for (const auto& plan : scenario::bar1_plans(scenario)) {
    const auto &a = before.windows.at(plan.gpu), &b = after.windows.at(plan.gpu);
    observe::Bar1Result window{plan.gpu,
                               plan.size,
                               platform.gpus.at(plan.gpu)->bar1().used(),
                               plan.reserved,
                               {},
                               b.remaps - a.remaps,
                               b.waiting - a.waiting};
    for (const auto& mapping : plan.mappings) {
      std::string names;
      for (const auto i : mapping.entries) names += (names.empty() ? "" : ",") + scenario.traffic[i].name;
      const bool fits = mapping.verdict == scenario::Bar1Verdict::mapped;
      const auto said = scenario::to_text(plan, mapping);
      window.registrations.push_back(
          {names, mapping.registered, mapping.given, std::string{name_of(mapping.verdict)}, fits, said});
      if (!fits) results.faults.push_back({plan.gpu, "BAR1 is full: " + names + ": " + said, 1, Instant{}});
    }
    if (window.remaps > 0)
      results.resources.push_back({plan.gpu + " BAR1 remapping", b.busy - a.busy, after.when - before.when});
    results.windows.push_back(std::move(window));
  }
}

}  // namespace

Counts take_counts(Platform& platform, Instant now) {
  Counts counts;
  counts.when = now;
  counts.links = observe::take_snapshot(platform.domain.fabric(), platform.domain.topology().links.size());
  for (const auto& [name, nic] : platform.nics) {
    counts.nics[name] = nic->behaviour().counters();
    counts.nics[name].wire_busy = nic->behaviour().datapath().wire_busy(now);
  }
  for (const auto& [name, nic] : platform.nics)
    if (nic->translations() != nullptr) counts.translations[name] = nic->translations()->counters();
  for (const auto& [name, gpu] : platform.gpus)
    counts.copies[name] = {gpu->behaviour().counters(), gpu->behaviour().busy_until(now)};
  for (const auto& [name, gpu] : platform.gpus) {
    counts.windows[name] = gpu->bar1().counters();
    counts.windows[name].busy = gpu->bar1().busy_until(now);
  }
  for (const auto& [name, cpu] : platform.cpus) {
    counts.cpus[name].counters = cpu->behaviour().counters();
    for (const auto& core : cpu->behaviour().cores()) counts.cpus[name].busy.push_back(core.busy_until(now));
  }
  for (const auto& [name, root] : platform.root_complexes)
    for (const auto& gate : root->gates()) {
      counts.credits[name].push_back({gate->write_credits_held(now), gate->read_credits_held(now)});
      if (gate->iommu() != nullptr)
        counts.iommus[name].push_back({gate->iommu()->counters(), gate->iommu()->walking_until(now)});
      counts.peers[name].push_back({{}, gate->peer_reads_busy(now)});
    }
  for (const auto& [name, root] : platform.root_complexes)
    for (std::size_t port = 0; port < root->peer_writes().size(); ++port)
      counts.peers[name][port].writes = root->peer_writes()[port]->busy_until(now);
  for (const auto& [name, memory] : platform.memories) {
    if (memory->gate() == nullptr) continue;
    if (memory->gate()->cache() != nullptr) counts.caches[name] = memory->gate()->cache()->counters();
    counts.channels[name] = memory->gate()->channels_busy(now);
  }
  for (const auto& [name, writes] : platform.refused_writes()) counts.refused[name] = writes->bytes();
  for (const auto& [name, gpu] : platform.gpus)
    if (gpu->peer_reads() != nullptr) counts.peer_reads[name] = gpu->peer_reads()->held_until(now);
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
      if (nic->ats) {
        const auto &a = before.translations.at(name), &b = after.translations.at(name);
        add_count(results, name + ".ats_hits", "1", b.hits - a.hits, "Pages that an access found translated");
        add_count(results, name + ".ats_requests", "1", b.requests - a.requests, "Translation requests");
        add_count(results, name + ".page_requests", "1", b.page_requests - a.page_requests, "Page requests (PRI)");
      }
      fill_nic(results, name, before.nics.at(name), after.nics.at(name), meter, entries, window, after.when);
    } else if (const auto* cpu = std::get_if<device::HostCpuConfig>(&device.config)) {
      const auto &a = before.cpus.at(name), &b = after.cpus.at(name);
      observe::CpuResult cores{name, cpu->cores, {}, b.counters.copied - a.counters.copied};
      for (std::size_t core = 0; core < b.busy.size(); ++core) {
        cores.busy += b.busy[core] - a.busy[core];
        cores.busiest = std::max(cores.busiest, b.busy[core] - a.busy[core]);
      }
      results.cpus.push_back(cores);
      by_cores.read += b.counters.dram_read - a.counters.dram_read;
      by_cores.written += b.counters.dram_written - a.counters.dram_written;
      add_count(results, name + ".interrupts", "1", b.counters.interrupts - a.counters.interrupts, "Interrupts taken");
      add_count(results, name + ".polls", "1", b.counters.polls - a.counters.polls,
                "Rounds of the drivers' poll loops");
    } else if (const auto* root = std::get_if<device::RootComplexConfig>(&device.config)) {
      if (root->credits)
        fill_ports(results, name + " memory credits for", root->credits->write_credits, root->credits->read_credits,
                   before.credits.at(name), after.credits.at(name), window);
      if (root->peer_to_peer)
        fill_ports(results, name + " peer", 1, 1, before.peers.at(name), after.peers.at(name), window);
      if (root->iommu) fill_iommu(results, name, *root->iommu, before.iommus.at(name), after.iommus.at(name), window);
    } else if (const auto* gpu = std::get_if<device::GpuConfig>(&device.config)) {
      const auto load = memory_load(platform, name, before, after);
      results.memories.push_back(
          {name, load.all.read, load.all.written, gpu->read_rate, gpu->write_rate, load.own.read, load.own.written});
      const auto &a = before.copies.at(name), &b = after.copies.at(name);
      results.resources.push_back({name + " copy engines", b.busy - a.busy, window * gpu->copy_engines});
      if (gpu->peer_reads)
        results.resources.push_back({name + " reads of peers at a time",
                                     after.peer_reads.at(name) - before.peer_reads.at(name),
                                     window * *gpu->peer_reads});
      add_count(results, name + ".copies", "1", b.counters.copies - a.counters.copies,
                "Copies that its engines completed");
    }
  }
  for (const auto& device : scenario.devices) {
    if (const auto* memory = std::get_if<device::HostMemoryConfig>(&device.config)) {
      const auto load = memory_load(platform, device.name, before, after);
      results.memories.push_back({device.name, load.all.read + by_cores.read, load.all.written + by_cores.written,
                                  memory->read_rate, memory->write_rate});
      if (memory->channels)
        results.resources.push_back({device.name + " channels",
                                     after.channels.at(device.name) - before.channels.at(device.name),
                                     window * memory->channels->count});
      if (memory->cache) fill_cache(results, device.name, before.caches.at(device.name), after.caches.at(device.name));
    }
  }
  fill_windows(results, platform, scenario, before, after);
  for (const auto& event : scenario.events)
    if (Instant{event.at} < after.when) results.events.push_back({Instant{event.at}, scenario::to_text(event)});
  std::ranges::stable_sort(results.events, {}, &observe::EventRecord::at);
  for (const auto& [key, failure] : meter.failures()) {
    const auto [requester, status, unnoticed] = key;
    const auto what = status == pcie::Status::unsupported_request ? "unsupported request"
                      : status == pcie::Status::completer_abort   ? "completer abort"
                      : status == pcie::Status::poisoned          ? "poisoned TLP"
                      : unnoticed                                 ? "write that nobody took in, unnoticed"
                                                                  : "completion timeout";
    results.faults.push_back({topology.nodes[requester.value()].name, what, failure.count, failure.first});
  }
}

}  // namespace peerpath::platform
