// What the kinds of traffic have in common whose frames a NIC's queues carry.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peerpath/traffic/kind.hpp"
#include "traffic/network/config.hpp"

namespace peerpath::scenario::traffic {

struct NetworkKind : CommonKind {
  static constexpr bool by_driver = true;
  static std::string_view rings(const Network& network) { return network.headers_to; }
  static void complete(Network& network, const Scenario& scenario, const Tree& tree, std::size_t entry);
  static std::vector<std::pair<std::string, std::string>> completed(const Network& network);
};

}  // namespace peerpath::scenario::traffic
