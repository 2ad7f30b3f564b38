#include "devices/gpu/peer_reads.hpp"

namespace peerpath::gpu {

PeerReads::PeerReads(const device::GpuConfig& config)
    : served_{config.peer_reads.value()}, latency_{config.read_latency}, rate_{config.read_rate} {}

Instant PeerReads::pass(const fabric::GatedTlp& tlp) {
  if (tlp.tlp_class != pcie::TlpClass::non_posted) return tlp.at;
  served_.forget(tlp.at - host::longest_way);
  return served_.take(1, tlp.at, latency_ + (rate_ > BitRate{} ? tlp.bytes / rate_ : Duration{0}));
}

}  // namespace peerpath::gpu
