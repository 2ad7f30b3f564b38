// What may limit the entries of a network scenario, as keys that can be changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/network/run.hpp"

namespace peerpath::study {

/// One resource of a network, and what twice and half of it are in the file.
struct NetworkSuspect {
  std::string name;  ///< as the sentence of the bottleneck begins
  std::vector<std::string> keys;
  std::vector<std::string> doubled, halved;  ///< overrides as --set has them: "switches.buffer=64MiB"

  static constexpr std::string_view arrival = "the arrival rate";
};

/// First what the results name as limits, then cables, buffers, windows, hosts and links between GPUs, at most `most`.
std::vector<NetworkSuspect> network_suspects(const network_scenario::Loaded& loaded,
                                             const network_run::Outcome& outcome, std::size_t most);

}  // namespace peerpath::study
