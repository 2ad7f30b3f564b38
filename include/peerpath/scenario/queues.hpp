// Which queues of a NIC work for which traffic.
#pragma once

#include <string>
#include <vector>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// Queues of a NIC that work for the same entries of `traffic`.
struct QueueShare {
  std::vector<std::size_t> entries;
  std::vector<int> queues;  ///< none if there are more shares than queues
};

/// The queues of a NIC that receive, shared out evenly in turn between the destinations (memory, path, and memory of
/// the headers) of its receive entries.
std::vector<QueueShare> receive_shares(const Scenario& scenario, const std::string& nic);

/// The queues of a NIC that send, shared out evenly in turn between its transmit entries.
std::vector<QueueShare> transmit_shares(const Scenario& scenario, const std::string& nic);

}  // namespace peerpath::scenario
