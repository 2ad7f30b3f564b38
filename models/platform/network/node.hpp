// A host as the network sees it, fitted to runs of its PCIe, TLP by TLP.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// A run of the host's PCIe, and what the surrogate makes of the same load.
struct NodePoint {
  observe::Decimal offered_gbps{}, goodput_gbps{};  ///< payload received
  observe::Decimal sent_gbps{};                     ///< payload sent meanwhile; 0 without a transmit entry
  Duration latency{};                               ///< last bit in from the wire to payload in memory, median
};

struct NodeFit {
  BitRate receive{};                         ///< payload that its memory takes in at most; 0: all that the wire brings
  BitRate transmit{};                        ///< payload that its NIC gets out of memory at most, likewise
  Duration latency{};                        ///< at a quarter of what it can
  observe::Decimal rate_error_percent{};     ///< largest at half and nine tenths of what it can
  observe::Decimal latency_error_percent{};  ///< at half of what it can
  std::string bottleneck{};                  ///< of the run at full load, a sentence
  std::vector<NodePoint> points{};           ///< full load, then a quarter, a half, nine tenths of what it can
};

/// Runs the host with packets of `payload` bytes at the rate of its cable and below. Its receive entry, and its
/// transmit entry if it has one, take the rate together: both directions of a collective are busy.
tl::expected<NodeFit, Problems> fit_node(const scenario::Loaded& node, BitRate line, Bytes payload);

/// Each entry of `nodes`, at the rate of its hosts' cables and the MTU.
tl::expected<std::vector<NodeFit>, Problems> fit_nodes(const network_scenario::Loaded& loaded);

}  // namespace peerpath::network_run
