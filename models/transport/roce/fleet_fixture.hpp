// A network with a fleet at its ends, for tests.
#pragma once

#include <map>

#include "transport/roce/fleet.hpp"

namespace peerpath::roce::testing {

/// Hosts around one switch, on cables of 500 ns.
inline network::Graph star(int hosts, BitRate rate) {
  network::Graph graph;
  const auto middle = graph.add_switch("sw");
  for (int h = 0; h < hosts; ++h)
    graph.connect(graph.add_host("h" + std::to_string(h)), middle, rate, std::chrono::nanoseconds{500});
  return graph;
}

struct Rig {
  Rig(const network::Graph& graph, const network::SwitchConfig& switches, const FleetConfig& config)
      : fleet{config}, network{graph, switches, 1, fleet} {
    fleet.attach(network);
    fleet.completed = [this](QpIndex qp, const Completion& completion, Instant, Instant now) {
      if (completion.status != WorkStatus::success) ++failed;
      const auto found = endless.find(qp);
      if (found == endless.end()) return;
      done_bytes += found->second.length;
      by_qp[qp] += found->second.length;
      fleet.post(qp, found->second, now);
    };
  }
  /// So many messages of the queue pair are outstanding at any time.
  void keep_busy(QpIndex qp, Work work, std::uint32_t size, int depth, Instant now = {}) {
    endless[qp] = {.work = work, .length = size};
    for (int i = 0; i < depth; ++i) fleet.post(qp, endless[qp], now);
  }

  Fleet fleet;
  network::Network network;
  std::map<QpIndex, WorkRequest> endless;
  std::map<QpIndex, std::int64_t> by_qp;
  std::int64_t done_bytes = 0;
  int failed = 0;
};

}  // namespace peerpath::roce::testing
