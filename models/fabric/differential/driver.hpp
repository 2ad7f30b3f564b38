// Plays a scenario against a fabric and holds two outcomes against each other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

using Make = std::function<std::unique_ptr<Fabric>(const Topology&, DeliverySink&)>;

/// Counters of one direction, held without the fabric.
struct Counted {
  std::int64_t dllps = 0, replays = 0;
  Duration busy{}, queueing{}, credit_stall{}, replaying{}, signalling{}, ahead{};
  std::vector<Tally> tallies;
  std::vector<Bytes> accounts;
};

/// All that a fabric said, in an order that does not depend on how it computed.
struct Outcome {
  std::vector<Delivery> deliveries;
  std::vector<Counted> counters;  ///< link * 2 + direction
  std::vector<TlpRecord> tlps;
  std::vector<std::string> blocked;  ///< for good, a while after the end; then the cycle
  std::int64_t tlp_count = 0;        ///< TLPs times hops
  std::string broken;                ///< a promise that the fabric did not keep
};

/// Advances by at most the quantum, and never past a timer or a reaction. With `check` every TLP is held against the
/// rules of the protocol, also where the case does not compare it.
Outcome play(const Scenario& scenario, const Make& make, bool check = false);

/// The first difference in words; empty if there is none.
std::string difference(const Outcome& expected, const Outcome& got);

/// Drops what the difference does not need, within some hundred attempts.
Scenario shrink(const Scenario& scenario, const Make& expected, const Make& got);

/// Empty, or seed, first difference and the shrunk case.
std::string compare(const Scenario& scenario, const Make& expected, const Make& got);

}  // namespace peerpath::fabric::differential
