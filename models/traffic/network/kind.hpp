// What the kinds of traffic have in common whose frames a NIC's queues carry.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peerpath/traffic/kind.hpp"
#include "traffic/network/config.hpp"

namespace peerpath::scenario::traffic {

/// Stages from the NIC's first descriptor on, which both directions have.
inline constexpr std::array<StageText, 5> network_stages{
    {{"stage", "descriptor", "waiting for descriptors and buffer space.",
      "receive: it has been parsed. transmit: the doorbell leaves", "its first DMA can start"},
     {"stage", "dma", "queues, credits, address translation and transit.", "its first DMA can start",
      "its last byte has arrived"},
     {"stage", "writeback", "writing the completion entry.", "its last byte has arrived",
      "its completion entry is in host memory"},
     {"stage", "moderation", "delay of the interrupt by moderation.", "its completion entry is in host memory",
      "the interrupt arrives"},
     {"stage", "driver", "interrupt, core and driver.", "the interrupt arrives", "as latency"}}};

/// Those behind the first stage of one direction.
constexpr std::array<StageText, 6> with_network_stages(const StageText& first) {
  const auto& rest = network_stages;
  return {{first, rest[0], rest[1], rest[2], rest[3], rest[4]}};
}

struct NetworkKind : CommonKind {
  static constexpr bool by_driver = true;
  static std::string_view rings(const Network& network) { return network.headers_to; }
  static void complete(Network& network, const Scenario& scenario, const Tree& tree, std::size_t entry);
  static std::vector<std::pair<std::string, std::string>> completed(const Network& network);
};

}  // namespace peerpath::scenario::traffic
