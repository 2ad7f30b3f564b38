// Messages that come by chance, and how long each of them would take alone.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_run {

/// A message of an entry with `load`.
struct Arrival {
  Instant at{};
  network::HostIndex from = 0, to = 0;
  Bytes size{};
};

/// All messages of the entry from `begin` to `end`, in the order of their times. Each host draws for itself, so they
/// are the same on each rank.
std::vector<Arrival> arrivals(const network_scenario::Rdma& entry, const network::Graph& graph, Instant begin,
                              Instant end, int seed);

/// Latencies of messages in a network that is empty: posted to acknowledged, by a shortest way whose switches store and
/// forward. Writes and sends.
class Alone {
 public:
  Alone(const network::Graph& graph, Duration switch_latency, int mtu)
      : graph_{graph}, switch_latency_{switch_latency}, mtu_{mtu} {}
  Duration latency(network::HostIndex from, network::HostIndex to, Bytes size, roce::Work work);

 private:
  using Way = std::vector<const network::Cable*>;
  const Way& way(network::HostIndex from, network::HostIndex to);
  const std::vector<int>& hops_to(network::HostIndex to);

  const network::Graph& graph_;
  Duration switch_latency_;
  int mtu_;
  std::map<std::pair<network::HostIndex, network::HostIndex>, Way> ways_;
  std::map<network::HostIndex, std::vector<int>> hops_;  ///< by node
};

}  // namespace peerpath::network_run
