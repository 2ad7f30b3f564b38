// What a receiver does with each TLP before it goes on: translates its address, waits for a resource of the host.
#pragma once

#include <cstdint>

#include "peerpath/base/id.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::fabric {

/// One TLP as it comes to a gate.
struct GatedTlp {
  pcie::TlpClass tlp_class{};
  pcie::Operation op{};
  pcie::Purpose purpose{};
  bool translated = false;                   ///< its Address Type says so (PCIe Base Spec 10.2.1)
  bool relaxed_ordering = false;             ///< its RO attribute is set
  bool refused = false;                      ///< a posted request that its target will not take: Transaction::answer
  Id<struct NodeTag> requester{}, target{};  ///< of the transaction, also for a completion
  std::uint64_t address = 0;                 ///< of the access in this TLP; of a completion, of what it carries
  Bytes bytes{};                             ///< of this access
  Instant at{};  ///< at a router: it could leave from then on; at an endpoint: its last bit has come in
};

/// Of equal TLPs one after the other: how many go on as much later as the first does, and when that is.
struct GatedRun {
  Instant first{};
  std::int32_t count = 1;
};

/// A gate at the receiving end of one direction of a link. It is asked once about each TLP that comes this way, in the
/// order in which they start on it, at the time at which the start is computed: a gate's state may depend on nothing
/// but what it was asked, and on what was set between two calls of Fabric::advance, which then holds for TLPs that
/// start later. Gates of different directions are asked in no order and share no state.
class Gate {
 public:
  virtual ~Gate() = default;
  /// From when the TLP goes on, not before `tlp.at`.
  virtual Instant pass(const GatedTlp& tlp) = 0;
  /// Asks about `tlp` and, at once, about as many as the gate likes of the `count` - 1 TLPs that follow it, each
  /// `spacing` later than the one before and with the next `tlp.bytes` of the access: what `pass` says and does about
  /// these one after the other, if that is the same delay for all.
  virtual GatedRun pass_run(const GatedTlp& tlp, Duration spacing, std::int32_t count) {
    static_cast<void>(spacing), static_cast<void>(count);
    return {pass(tlp), 1};
  }
};

}  // namespace peerpath::fabric
