// What switches hash of a queue pair's packets.
#pragma once

#include <cstdint>

#include "network/graph.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::roce {

/// UDP source port: fold of the numbers of both queue pairs into 14 bits (kernel, rdma_get_udp_sport).
inline std::uint32_t source_port(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t product = std::uint64_t{a} * b;
  const auto low = static_cast<std::uint32_t>(product & 0x3fff),
             high = static_cast<std::uint32_t>(product >> 14 & 0x3fff);
  return 0xc000 | (low ^ high);
}

/// The hash of the 5-tuple of what goes from one host to another. `first`: number of the connection's first end;
/// `by_qp`: the source port follows the queue pairs, else it is one for all of two hosts.
inline std::uint32_t flow_hash(network::HostIndex from, network::HostIndex to, std::uint32_t first, bool by_qp) {
  const auto port = by_qp ? source_port(first + 2, first + 3) : 0xc000;
  return static_cast<std::uint32_t>(mix(std::uint64_t{from} << 40 | std::uint64_t{to} << 16 | port));
}

}  // namespace peerpath::roce
