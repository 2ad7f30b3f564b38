// A host as the network sees it, fitted to runs of its PCIe, TLP by TLP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// A load of the host's PCIe, and what it carried. All rates are those of payload.
struct NodePoint {
  observe::Decimal offered_gbps{};  ///< from the wire
  observe::Decimal goodput_gbps{};  ///< of it
  observe::Decimal to_send_gbps{};  ///< asked for by the wire meanwhile
  observe::Decimal sent_gbps{};     ///< of it
  Duration latency{};               ///< last bit in from the wire to payload in memory, median
  Duration send_latency{};          ///< asked for to payload in the NIC, median
};

/// The direction of a link that was busiest or longest without credits, as a sentence, and how much of the time it was.
struct HostLimit {
  observe::Decimal percent{};
  std::string sentence{};
};

/// What the PCIe of the hosts of an entry at level `tlp` did; of the one whose links were busiest.
struct HostUse {
  std::string host;
  Duration latency{}, send_latency{};  ///< medians: last bit in to payload in memory; asked for to payload in the NIC
  std::int64_t failed = 0;             ///< writes and reads, of all hosts of the entry
  HostLimit limit{};
};

/// What is known of the hosts of an entry: what was fitted, or at level `tlp`, where nothing is, what they did.
struct NodeFit {
  std::optional<HostUse> use{};

  BitRate receive{};   ///< payload that its memory takes in at most; all rates are 0: the wire is the limit
  BitRate transmit{};  ///< payload that its NIC gets out of memory at most
  BitRate receive_beside{}, transmit_beside{};  ///< the same while the other way has a backlog, too
  BitRate together{};                           ///< both ways; 0: there is no such limit
  BitRate transmit_burst{};                     ///< in messages of 64 KiB with pauses, while what arrives has a backlog
  BitRate burst_toll{};  ///< each byte of those takes the time of one at this rate from receiving; 0: none
  Duration latency{}, send_latency{};                ///< with little to do, and nothing the other way
  Duration latency_beside{}, send_latency_beside{};  ///< likewise, while the other way has a backlog
  Bytes transmit_buffer{};
  observe::Decimal rate_error_percent{};  ///< largest at half and nine tenths of what it can, and where it sends half
  observe::Decimal latency_error_percent{};  ///< of receiving, at half of what it can
  std::string bottleneck{};                  ///< at full load both ways
  /// Full load both ways, receiving, sending; then a quarter, a half, nine tenths of what it can both ways; then, where
  /// there are limits, the loads that tell what it does beside a full other way.
  std::vector<NodePoint> points{};
};

/// A full packet of a transport.
struct PacketShape {
  Bytes payload{}, frame{};  ///< `frame`: without preamble, FCS and gap
};

/// Of the scenario's transport: the path MTU's of RDMA, or the largest segment of TCP.
PacketShape packet_of(const network_scenario::NetworkScenario& scenario);

/// Probes the host (host_probe.hpp) with such packets at the rate of its cable and below.
tl::expected<NodeFit, Problems> fit_node(const scenario::Loaded& node, BitRate line, const PacketShape& packet);

/// Each entry of `nodes`, at the rate of its hosts' cables, with the transport's packets. `simulated`: those at level
/// `tlp` are not fitted.
tl::expected<std::vector<NodeFit>, Problems> fit_nodes(const network_scenario::Loaded& loaded, bool simulated = false);

/// The rate of frames, without preamble and gap, whose payload has that rate; and the other way round.
BitRate with_headers(BitRate payload, const PacketShape& packet);
BitRate without_headers(BitRate frames, const PacketShape& packet);

}  // namespace peerpath::network_run
