// The hosts of a network that have a PCIe: as rates and latencies, or simulated beside it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/network/host_model.hpp"
#include "platform/network/node.hpp"
#include "platform/network/parts.hpp"
#include "transport/host/rated_dma.hpp"
#include "transport/roce/fleet.hpp"
#include "transport/tcp/fleet.hpp"

namespace peerpath::network_run {

/// Fits hosts and makes those that are simulated.
class NodeHosts {
 public:
  /// Of several ranks each simulates its own hosts.
  static tl::expected<NodeHosts, Problems> make(const network_scenario::Loaded& loaded, const Ranks* ranks);

  /// Says of each host what its NIC sees of it, `slow_hosts` included. It has to outlive the fleet.
  void configure(roce::FleetConfig& config) const;
  void configure(tcp::FleetConfig& config);
  void begin_window(Instant now);
  /// Of each entry, when everything until `now` has happened; in rank 0 of the hosts of all ranks.
  std::vector<NodeFit> outcome(Instant now, Parts& parts);
  /// After `outcome`: what breaks conservation of bytes inside hosts that are simulated; in rank 0 of all ranks.
  void add_violations(std::vector<std::string>& violations) const {
    for (const auto& broken : broken_)
      if (!broken.empty()) violations.push_back(broken);
  }

 private:
  std::vector<transport::HostRates> rates() const;

  const network_scenario::Loaded* loaded_ = nullptr;
  std::vector<NodeFit> fits_;
  std::vector<std::unique_ptr<transport::RatedDma>> rated_;  ///< by host, under TCP
  std::vector<std::unique_ptr<HostModel>> models_;           ///< by host; nothing: no such level, or another rank's
  std::vector<std::string> broken_;                          ///< by host
};

}  // namespace peerpath::network_run
