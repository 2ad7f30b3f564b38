#include "validation/gpunet/proxy/metrics.hpp"

namespace peerpath::gpunet {

void Metrics::add(const Metrics& one) {
  sweeps += one.sweeps, busy_sweeps += one.busy_sweeps, naps += one.naps, calls += one.calls;
  sends += one.sends, sent_bytes += one.sent_bytes, sent_entries += one.sent_entries;
  receives += one.receives, received_bytes += one.received_bytes;
  direct_sent_bytes += one.direct_sent_bytes, direct_received_bytes += one.direct_received_bytes;
  stalls_for_entries += one.stalls_for_entries, stalls_for_ring += one.stalls_for_ring;
  stalls_for_channel += one.stalls_for_channel;
  send_ns += one.send_ns, receive_ns += one.receive_ns, call_ns += one.call_ns;
  empty_receives += one.empty_receives, empty_receive_ns += one.empty_receive_ns;
  unseen_ns += one.unseen_ns, gather_ns += one.gather_ns, announce_ns += one.announce_ns;
  turns += one.turns, turn_ns += one.turn_ns;
  for (std::size_t i = 0; i < batches.size(); ++i) batches[i] += one.batches[i];
}

}  // namespace peerpath::gpunet
