#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/link_totals.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

constexpr int rate_places = 6;  // Gb/s: down to 1 kb/s
constexpr int ns_places = 6;    // femtoseconds: exact

Decimal count(std::int64_t n) { return {n, 0}; }
Decimal nanoseconds(Duration d) { return {d.count(), ns_places}; }

/// `bytes` over `window` in Gb/s: 8 bits a byte, 10^15 fs a second, 10^9 b a Gb.
Decimal gbps(Bytes bytes, Duration window) {
  return quotient(static_cast<WideInt>(bytes.count()) * 8'000'000, window.count(), rate_places);
}

Decimal percent(Duration part, Duration whole) {
  return quotient(static_cast<WideInt>(part.count()) * 100, whole.count(), percent_places);
}

/// Collects the metrics of one object and prefixes them with its name.
class Group {
 public:
  Group(std::vector<Metric>& metrics, std::string prefix) : metrics_{metrics}, prefix_{std::move(prefix)} {}
  void add(std::string_view name, std::string_view unit, std::optional<Decimal> value, std::string doc) {
    metrics_.push_back({prefix_ + "." + std::string{name}, std::string{unit}, value, std::move(doc)});
  }

 private:
  std::vector<Metric>& metrics_;
  std::string prefix_;
};

/// Whether its payload was followed link by link, which only the model does.
bool is_followed(const TrafficResult& traffic) { return !traffic.crossed.empty(); }

void add_traffic(std::vector<Metric>& metrics, const TrafficResult& traffic, Duration window) {
  Group group{metrics, traffic.name};
  group.add("offered_gbps", "Gb/s", gbps(traffic.offered_payload, window), "User data offered");
  group.add("goodput_gbps", "Gb/s", gbps(traffic.delivered_payload, window), "User data delivered");
  group.add("offered_packets", "1", count(traffic.offered_packets), "Frames or transfers offered");
  group.add("delivered_packets", "1", count(traffic.delivered_packets), "Frames or transfers completed");
  group.add("dropped_packets", "1", count(traffic.dropped_packets), "Frames lost");
  group.add("payload_bytes", "B", count(traffic.delivered_payload.count()), "User data delivered, in bytes");
  const auto queued = [&](Bytes bytes) {
    return is_followed(traffic) ? std::optional{count(bytes.count())} : std::nullopt;
  };
  group.add("queued_at_begin_bytes", "B", queued(traffic.waiting_before),
            "User data in flight at the beginning of the window");
  group.add("queued_at_end_bytes", "B", queued(traffic.waiting_after), "User data in flight at the end of the window");
  group.add("loss_percent", "%",
            quotient(static_cast<WideInt>(traffic.dropped_packets) * 100, traffic.offered_packets, percent_places),
            "Share of offered frames that were lost");
  group.add("failed_transfers", "1", count(traffic.failed_transfers), "Transactions that ended in an error");
  group.add("all_ones_bytes", "B", count(traffic.all_ones.count()), "Data of failed reads, returned as all ones");
  group.add("lost_bytes", "B", count(traffic.lost.count()), "Data of writes that no completer accepted");
  const auto& latency = traffic.latency;
  const auto measured = [&](Duration d) { return latency.count() == 0 ? std::nullopt : std::optional{nanoseconds(d)}; };
  group.add("latency_min_ns", "ns", measured(latency.least()), "Minimum latency");
  group.add("latency_mean_ns", "ns", measured(latency.mean()), "Mean latency");
  group.add("latency_p50_ns", "ns", measured(latency.quantile(500'000)), "Median latency");
  group.add("latency_p90_ns", "ns", measured(latency.quantile(900'000)), "90th percentile of latency");
  group.add("latency_p99_ns", "ns", measured(latency.quantile(990'000)), "99th percentile of latency");
  group.add("latency_p999_ns", "ns", measured(latency.quantile(999'000)), "99.9th percentile of latency");
  group.add("latency_max_ns", "ns", measured(latency.largest()), "Maximum latency");
  for (const auto& [stage, doc, time] : traffic.stages) {
    const bool none = time.count() == 0;
    for (const auto& [name, parts] : {std::pair{"_p50_ns", 500'000}, {"_p99_ns", 990'000}})
      group.add("latency_" + stage + name, "ns", none ? std::nullopt : std::optional{nanoseconds(time.quantile(parts))},
                doc);
  }
}

void add_direction(std::vector<Metric>& metrics, const std::string& link, std::string_view name,
                   const LinkDirectionResult& direction, Duration window) {
  Group group{metrics, link + "." + std::string{name}};
  const auto totals = total(direction);
  for (const auto& purpose : enum_names(pcie::Purpose{}))
    group.add(std::string{purpose.name} + "_bytes", "B",
              count(totals.by_purpose[static_cast<std::size_t>(purpose.value)].count()),
              "Data bytes carried as " + std::string{purpose.name});
  group.add("overhead_bytes", "B", count(totals.overhead.count()), "TLP headers, digests and framing");
  group.add("dllp_bytes", "B", count(totals.dllp_bytes().count()), "Link-layer packets (DLLPs)");
  group.add("wire_bytes", "B", count(totals.wire().count()), "All bytes on the wire");
  group.add("tlps", "1", count(totals.tlps), "TLPs");
  group.add("dllps", "1", count(totals.dllps), "ACK and flow-control packets");
  group.add("payload_gbps", "Gb/s", gbps(totals.payload(), window), "Rate of user data");
  group.add("wire_gbps", "Gb/s", gbps(totals.wire(), window), "Rate of all bytes");
  group.add("utilisation_percent", "%", utilisation(direction, window), "Share of time in which the line was busy");
  group.add("queued_tlps", "TLPs", quotient(direction.queueing.count(), window.count(), percent_places + 2),
            "Average number of TLPs waiting to start");
  group.add("credit_stall_percent", "%", percent(direction.credit_stall, window),
            "Share of time in which the line was free while TLPs waited for credits");
  group.add("replays", "1", count(direction.replays), "TLPs retransmitted after a bit error");
}

void add_link(std::vector<Metric>& metrics, const LinkResult& link, Duration window, Bytes delivered) {
  add_direction(metrics, link.name, "up", link.up, window);
  add_direction(metrics, link.name, "down", link.down, window);
  const auto both = total(link.up).payload() + total(link.down).payload();
  metrics.push_back({link.name + ".payload_crossings", "1", quotient(both.count(), delivered.count(), percent_places),
                     "Average number of times that user data crossed the link"});
}

/// Of a bounced entry with a neighbour at the same engine the shares are rounded; nothing crosses less than not at all.
void add_crossings(std::vector<Metric>& metrics, const Results& results, const TrafficResult& traffic) {
  Bytes all{};
  for (const Bytes crossed : traffic.crossed) all += crossed;
  const auto times = [&](Bytes crossed) {
    return is_followed(traffic) ? std::optional{quotient(std::max(crossed, Bytes{0}).count(),
                                                         traffic.delivered_payload.count(), percent_places)}
                                : std::nullopt;
  };
  metrics.push_back(
      {traffic.name + ".payload_crossings", "1", times(all), "Average number of links crossed by its user data"});
  for (std::size_t link = 0; link < results.links.size(); ++link)
    metrics.push_back({traffic.name + "." + results.links[link].name + ".payload_crossings", "1",
                       times(link < traffic.crossed.size() ? traffic.crossed[link] : Bytes{0}),
                       "Average number of times that its user data crossed this link"});
}

void add_cpu(std::vector<Metric>& metrics, const CpuResult& cpu, Duration window) {
  Group group{metrics, cpu.name};
  group.add("cores_busy", "cores", quotient(cpu.busy.count(), window.count(), percent_places),
            "Average number of busy cores");
  group.add("utilisation_percent", "%", percent(cpu.busy, window * std::int64_t{cpu.cores}),
            "Average utilisation of all cores");
  group.add("busiest_core_percent", "%", percent(cpu.busiest, window), "Utilisation of the busiest core");
  group.add("copied_bytes", "B", count(cpu.copied.count()), "Bytes copied by the cores");
  group.add("copied_gbps", "Gb/s", gbps(cpu.copied, window), "Rate of copying");
}

void add_memory(std::vector<Metric>& metrics, const MemoryResult& memory, Duration window) {
  Group group{metrics, memory.name};
  group.add("read_bytes", "B", count(memory.read.count()), "Bytes read");
  group.add("written_bytes", "B", count(memory.written.count()), "Bytes written");
  group.add("read_gbps", "Gb/s", gbps(memory.read, window), "Rate of reads");
  group.add("written_gbps", "Gb/s", gbps(memory.written, window), "Rate of writes");
  group.add("utilisation_percent", "%", utilisation(memory, window),
            "Utilisation of the read or the write bandwidth, whichever is higher; for a GPU, peer accesses only");
}

void add_window(std::vector<Metric>& metrics, const Bar1Result& window) {
  Group group{metrics, window.gpu};
  group.add("bar1_size_bytes", "B", count(window.size.count()),
            "Size of the window through which peers reach its memory");
  group.add("bar1_used_bytes", "B", count(window.used.count()),
            "Part of the window that is mapped or reserved by the driver");
  const auto without = std::ranges::count_if(window.registrations, [](const auto& r) { return r.mapped == Bytes{0}; });
  group.add("bar1_refused", "1", count(without), "Registrations that did not fit the window");
  group.add("bar1_remaps", "1", count(window.remaps), "Pieces of memory mapped by evicting others");
  group.add("bar1_waiting_ns", "ns", nanoseconds(window.waiting), "Time that transfers waited for remapping, summed");
}

}  // namespace

std::vector<Metric> derive_metrics(const Results& results) {
  std::vector<Metric> metrics;
  metrics.push_back({"run.simulated_ns", "ns", nanoseconds(results.window), "Length of the measured window"});
  const auto& deadlock = results.deadlock;
  metrics.push_back({"run.blocked_queues", "1",
                     count(deadlock ? static_cast<std::int64_t>(deadlock->blocked.size()) : 0),
                     "Queues that are permanently blocked"});
  metrics.push_back({"run.deadlock_cycle", "1", count(deadlock ? static_cast<std::int64_t>(deadlock->cycle.size()) : 0),
                     "Blocked queues that wait for each other in a cycle"});
  Bytes delivered{};
  for (const auto& traffic : results.traffic) {
    add_traffic(metrics, traffic, results.window);
    delivered += traffic.delivered_payload;
  }
  for (const auto& link : results.links) add_link(metrics, link, results.window, delivered);
  for (const auto& traffic : results.traffic) add_crossings(metrics, results, traffic);
  for (const auto& cpu : results.cpus) add_cpu(metrics, cpu, results.window);
  for (const auto& memory : results.memories) add_memory(metrics, memory, results.window);
  for (const auto& window : results.windows) add_window(metrics, window);
  return metrics;
}

}  // namespace peerpath::observe
