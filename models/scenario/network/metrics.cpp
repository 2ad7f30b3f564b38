#include "scenario/network/metrics.hpp"

#include <array>

namespace peerpath::network_scenario {
namespace {

struct Definition {
  std::string_view name, unit, doc;  ///< name: behind the owner's
};

constexpr std::array of_rdma{
    Definition{"goodput_gbps", "Gb/s", "Payload of messages that are over"},
    Definition{"messages", "1", "Over, with success"},
    Definition{"failed_messages", "1", "Reported as failed"},
    Definition{"latency_p50_us", "us", "Posted to over"},
    Definition{"latency_p99_us", "us", "Posted to over"},
    Definition{"latency_max_us", "us", "Posted to over"},
};
constexpr std::array of_load{
    Definition{"slowdown_p50", "1", "Latency over that of the message alone in the network"},
    Definition{"slowdown_p99", "1", "Latency over that of the message alone in the network"},
    Definition{"small_slowdown_p99", "1", "The same of messages of at most 3,000 B"},
};
constexpr std::array of_load_network{
    Definition{"queue_p95_bytes", "B",
               "Of what waits at ports of switches, all ports taken together; looked at each `patience`"},
    Definition{"queue_p99_bytes", "B",
               "Of what waits at ports of switches, all ports taken together; looked at each `patience`"},
};
constexpr std::array of_translations{
    Definition{"translations_missed_percent", "%",
               "Pages written to whose entry of the MTT was not in the NIC, since the start"},
};
constexpr std::array of_contexts{
    Definition{"contexts_missed_percent", "%",
               "Packets with data for whose queue pair the NIC had no context, since the start"},
};
constexpr std::array of_collective{
    Definition{"time_us", "us", "Start to last message in"},
    Definition{"nic_gbps", "Gb/s", "What the busiest NIC has to send or to take in, over that time"},
};
constexpr std::array of_servers{
    Definition{"bus_gbps", "Gb/s",
               "Bus bandwidth as nccl-tests has it: bytes over time, times what a rank sends of each"},
    Definition{"inside_us", "us", "Time in which a rank had messages on their way by NVLink, mean of ranks"},
    Definition{"between_us", "us", "The same by its NIC; where both go on at once, it counts in both"},
};
constexpr std::array of_trace{
    Definition{"time_us", "us", "Start to last node over, of all ranks"},
    Definition{"computing_us", "us", "Time in which a rank's GPU or CPU had a node, mean of ranks"},
    Definition{"communicating_us", "us",
               "Time in which a rank was in a collective or a message, also to wait for others there, mean of ranks"},
    Definition{"hidden_us", "us", "Of that, while it computed, mean of ranks"},
    Definition{"exposed_us", "us", "Of that, while it did not, mean of ranks"},
    Definition{"exposed_max_us", "us", "The same of the rank that has most of it"},
};
constexpr std::array of_tcp{
    Definition{"goodput_gbps", "Gb/s", "Payload that applications have read"},
    Definition{"flows", "1", "Connections that are over: all their bytes are read"},
    Definition{"time_p50_us", "us", "From opening to the last byte read, of connections that are over"},
    Definition{"time_p99_us", "us", "From opening to the last byte read, of connections that are over"},
    Definition{"time_max_us", "us", "From opening to the last byte read, of connections that are over"},
    Definition{"sent_again", "1", "Segments that were repeated, since the start"},
    Definition{"timeouts", "1", "Retransmission timeouts, since the start"},
    Definition{"probes", "1", "Zero-window probes, since the start"},
    Definition{"window_closed_us", "us",
               "Time in which the receiver's window alone held data back, summed over connections, since the start"},
    Definition{"send_core_percent", "%", "Work of the busiest core of senders, over the window"},
    Definition{"receive_core_percent", "%", "Work of the busiest core of receivers, over the window"},
};
constexpr std::array of_tcp_network{
    Definition{"nic_dropped", "1", "By NICs: no entry of the ring, or no memory, since the start"},
};
constexpr std::array of_network{
    Definition{"packets", "1", "Packets on cables, each cable counted"},
    Definition{"dropped", "1", "Lost in switches, on cables and in NICs"},
    Definition{"marked", "1", "Congestion Experienced"},
    Definition{"pauses", "1", "PFC frames that stop a priority"},
    Definition{"paused_us", "us", "Time that ports were held with packets waiting, summed"},
    Definition{"queue_peak_bytes", "B", "Most that waited at one port in one priority, since the start"},
    Definition{"nic_pauses", "1", "Of the pauses: by NICs whose host was slow, since the start"},
    Definition{"sent_again", "1", "Packets that RDMA or TCP repeated, since the start"},
    Definition{"deadlock", "1", "Whether paused queues waited for each other in a circle"},
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
             "\n    Of a network scenario. " + std::string{d.doc} + ".\n";
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
