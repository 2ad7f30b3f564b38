// Messages that come by chance, and how long each of them would take alone.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "network/routes.hpp"
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

/// Latencies of messages in a network that is empty: posted to acknowledged, by the fastest of the shortest ways, whose
/// switches store and forward; if switches spray, each packet by the way on which it is in first. Writes and sends.
class Alone {
 public:
  Alone(const network::Graph& graph, const network::SwitchConfig& config, int mtu)
      : graph_{graph}, config_{config}, mtu_{mtu} {}
  Duration latency(network::HostIndex from, network::HostIndex to, Bytes size, roce::Work work);

 private:
  using Pair = std::pair<network::HostIndex, network::HostIndex>;
  struct Hop {
    BitRate rate{};
    Duration delay{};
    auto operator<=>(const Hop&) const = default;
  };
  using Way = std::vector<Hop>;
  /// Packets of a message, by their bytes of the wire's time.
  struct Train {
    Bytes first{}, middle{}, last{};
    std::int64_t whole = 0;  ///< with the largest payload, before the last
  };

  Train train(Bytes size, roce::Work work) const;
  const network::Routes& routes();
  const std::vector<Way>& ways(Pair pair);
  Duration along(const Way& way, const Train& train) const;
  Duration fastest(Pair pair, const Train& train);
  std::vector<std::pair<network::NodeIndex, std::span<const network::PortIndex>>> hops(Pair pair);
  Duration sprayed(Pair pair, const Train& train);

  const network::Graph& graph_;
  const network::SwitchConfig& config_;
  int mtu_;
  std::optional<network::Routes> routes_;
  std::map<Pair, std::vector<Way>> ways_;  ///< that differ
};

}  // namespace peerpath::network_run
