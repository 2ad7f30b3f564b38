#include "scenario/network/metrics.hpp"

#include <array>

namespace peerpath::network_scenario {
namespace {

struct Definition {
  std::string_view name, unit, doc;  ///< name: behind the owner's
};

constexpr std::array of_rdma{
    Definition{"goodput_gbps", "Gb/s", "Payload that has reached memory, of whole messages or parts of them"},
    Definition{"messages", "1", "Messages completed successfully"},
    Definition{"failed_messages", "1", "Messages reported as failed"},
    Definition{"latency_p50_us", "us", "Time from post to completion of a message"},
    Definition{"latency_p99_us", "us", "Time from post to completion of a message"},
    Definition{"latency_max_us", "us", "Time from post to completion of a message"},
};
constexpr std::array of_load{
    Definition{"slowdown_p50", "1",
               "Latency relative to that of the message alone in the network, by the fastest of the shortest paths"},
    Definition{"slowdown_p99", "1",
               "Latency relative to that of the message alone in the network, by the fastest of the shortest paths"},
    Definition{"small_slowdown_p99", "1",
               "Latency relative to that of the message alone in the network, for messages of at most 3,000 B"},
};
constexpr std::array of_load_network{
    Definition{"queue_p95_bytes", "B",
               "Percentile of the bytes queued at all switch ports together, sampled every `patience`"},
    Definition{"queue_p99_bytes", "B",
               "Percentile of the bytes queued at all switch ports together, sampled every `patience`"},
};
constexpr std::array of_translations{
    Definition{"translations_missed_percent", "%",
               "Pages written whose MTT entry was not cached in the NIC, since the start"},
};
constexpr std::array of_contexts{
    Definition{"contexts_missed_percent", "%",
               "Data packets whose queue pair context was not cached in the NIC, since the start"},
};
constexpr std::array of_collective{
    Definition{"time_us", "us", "Time from the start to the arrival of the last message"},
    Definition{"nic_gbps", "Gb/s", "Bytes that the busiest NIC must send or receive, divided by time_us"},
    Definition{"algbw", "GB/s", "Algorithm bandwidth as nccl-tests defines it: bytes divided by time_us"},
    Definition{"busbw", "GB/s", "Bus bandwidth as nccl-tests defines it: algbw times the bytes sent per rank and byte"},
};
constexpr std::array of_servers{
    Definition{"inside_us", "us", "Time in which a rank had NVLink messages in flight, mean over ranks"},
    Definition{"between_us", "us",
               "Time in which a rank had NIC messages in flight, mean over ranks; overlaps with inside_us"},
};
constexpr std::array of_trace{
    Definition{"time_us", "us", "Time from the start to the end of the last node of all ranks"},
    Definition{"computing_us", "us", "Time in which a rank's GPU or CPU executed a node, mean over ranks"},
    Definition{"communicating_us", "us",
               "Time that a rank spent in collectives and messages, waiting included, mean over ranks"},
    Definition{"hidden_us", "us", "Communication time overlapped by computation, mean over ranks"},
    Definition{"exposed_us", "us", "Communication time not overlapped by computation, mean over ranks"},
    Definition{"exposed_max_us", "us", "Communication time not overlapped by computation, of the rank with the most"},
};
constexpr std::array of_tcp{
    Definition{"goodput_gbps", "Gb/s", "Payload read by applications"},
    Definition{"flows", "1", "Completed connections: all bytes have been read"},
    Definition{"time_p50_us", "us", "Time from opening to the last byte read, of completed connections"},
    Definition{"time_p99_us", "us", "Time from opening to the last byte read, of completed connections"},
    Definition{"time_max_us", "us", "Time from opening to the last byte read, of completed connections"},
    Definition{"sent_again", "1", "Retransmitted segments, since the start"},
    Definition{"timeouts", "1", "Retransmission timeouts, since the start"},
    Definition{"probes", "1", "Zero-window probes, since the start"},
    Definition{"window_closed_us", "us",
               "Time in which only the receiver's window limited the sender, summed over connections, since the start"},
    Definition{"send_core_percent", "%", "Utilisation of the busiest core of the senders, over the window"},
    Definition{"receive_core_percent", "%", "Utilisation of the busiest core of the receivers, over the window"},
};
constexpr std::array of_tcp_network{
    Definition{"nic_dropped", "1", "Packets dropped by NICs for lack of a ring entry or memory, since the start"},
};
constexpr std::array of_network{
    Definition{"packets", "1", "Packets sent on cables, counted once per cable"},
    Definition{"dropped", "1", "Packets lost in switches, on cables and in NICs"},
    Definition{"marked", "1", "Packets marked Congestion Experienced (ECN)"},
    Definition{"pauses", "1", "PFC pause frames sent"},
    Definition{"paused_us", "us", "Time that paused ports had packets waiting, summed"},
    Definition{"queue_peak_bytes", "B", "Peak queue of one priority at one port, since the start"},
    Definition{"nic_pauses", "1", "PFC pause frames sent by NICs of slow hosts, since the start"},
    Definition{"sent_again", "1", "Packets retransmitted by RDMA or TCP, since the start"},
    Definition{"deadlock", "1", "Whether paused queues waited for each other in a cycle"},
};

template <class List>
void add(std::vector<MetricInfo>& out, const std::string& owner, const List& list) {
  for (const auto& d : list)
    out.push_back({owner + "." + std::string{d.name}, std::string{d.unit}, std::string{d.doc}});
}

template <class List>
void explain_in(std::string& out, const char* owner, const List& list, std::string_view end) {
  for (const auto& d : list)
    if (d.name == end)
      out += std::string{owner} + "." + std::string{d.name} + ": " + std::string{d.unit} +
             "\n    Network scenarios only. " + std::string{d.doc} + ".\n";
}

}  // namespace

std::vector<MetricInfo> metrics_of(const NetworkScenario& s) {
  std::vector<MetricInfo> out;
  bool loaded = false;
  for (const auto& entry : s.rdma) {
    add(out, entry.name, of_rdma);
    if (entry.load > 0) add(out, entry.name, of_load);
    loaded |= entry.load > 0;
  }
  for (const auto& entry : s.collectives) {
    add(out, entry.name, of_collective);
    if (s.servers.gpus > 1) add(out, entry.name, of_servers);
  }
  for (const auto& entry : s.traces) add(out, entry.name, of_trace);
  for (const auto& entry : s.tcp) add(out, entry.name, of_tcp);
  add(out, "network", of_network);
  if (loaded) add(out, "network", of_load_network);
  if (s.nics.translations > 0) add(out, "network", of_translations);
  if (s.nics.contexts > 0) add(out, "network", of_contexts);
  if (!s.tcp.empty()) add(out, "network", of_tcp_network);
  return out;
}

std::optional<std::string> explain_metric(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto owner = dot == name.npos ? "" : name.substr(0, dot);
  const auto end = dot == name.npos ? name : name.substr(dot + 1);
  std::string out;
  if (owner != "network") explain_in(out, "<rdma>", of_rdma, end);
  if (owner != "network") explain_in(out, "<rdma>", of_load, end);
  if (owner != "network") explain_in(out, "<collective>", of_collective, end);
  if (owner != "network") explain_in(out, "<collective>", of_servers, end);
  if (owner != "network") explain_in(out, "<trace>", of_trace, end);
  if (owner != "network") explain_in(out, "<tcp>", of_tcp, end);
  if (owner.empty() || owner == "network") explain_in(out, "network", of_load_network, end);
  if (owner.empty() || owner == "network") explain_in(out, "network", of_translations, end);
  if (owner.empty() || owner == "network") explain_in(out, "network", of_contexts, end);
  if (owner.empty() || owner == "network") explain_in(out, "network", of_tcp_network, end);
  if (owner.empty() || owner == "network") explain_in(out, "network", of_network, end);
  return out.empty() ? std::nullopt : std::optional{out};
}

}  // namespace peerpath::network_scenario
