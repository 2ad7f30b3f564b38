// A GPU serves a number of its peers' reads at a time, which is why they are slower than writes. Model card: README.md.
#pragma once

#include "core/host/line_credits.hpp"
#include "devices/gpu/config.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::gpu {

/// The gate of the direction towards a GPU: with N reads at a time and L from a request to its data, peers get no more
/// than N x MRRS / L (analytic::read_rate_bound).
class PeerReads final : public fabric::Gate {
 public:
  /// `config.peer_reads` has to be set.
  explicit PeerReads(const device::GpuConfig& config);

  Instant pass(const fabric::GatedTlp& tlp) override;

  /// For how long reads were served, from the start until `now`: the sum over those at a time.
  Duration held_until(Instant now) const { return served_.held_until(now); }

 private:
  host::LineCredits served_;
  Duration latency_;
  BitRate rate_;
};

}  // namespace peerpath::gpu
