#include "platform/stages.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::platform {

std::vector<observe::StageResult> receive_stages() {
  return {{"pipeline", "Last bit on the wire to parsed in the NIC", {}},
          {"descriptor", "In the FIFO until its buffers' descriptors were at hand", {}},
          {"dma", "DMA writes: queues, credits, translation and the way, until its last byte was in memory", {}},
          {"writeback", "Until its completion entry was in host memory as well", {}},
          {"moderation", "Until the interrupt, which moderation holds back", {}},
          {"driver", "Interrupt, wake-up, the core's queue, driver and protocol; of bounced payload the copies", {}}};
}

std::vector<observe::StageResult> transmit_stages() {
  return {{"post", "From the application through the driver to its doorbell; of bounced payload the copies", {}},
          {"descriptor", "Doorbell, its descriptor read, and room in the transmit FIFO", {}},
          {"dma", "DMA reads: queues, credits, translation and the way, until its last byte was in the NIC", {}},
          {"writeback", "Until its completion entry was in host memory", {}},
          {"moderation", "Until the interrupt, which moderation holds back", {}},
          {"driver", "Interrupt, the core's queue, and the driver that sees the completion", {}}};
}

void record_packet(std::vector<observe::StageResult>& stages, std::span<const Instant> moments) {
  require(moments.size() == stages.size() + 1, "a stage lies between two moments");
  const Instant last = moments.back();
  Instant from = moments.front();
  for (std::size_t n = 0; n < stages.size(); ++n) {
    const Instant until = n + 1 == stages.size() ? last : std::clamp(moments[n + 1], from, std::max(from, last));
    stages[n].time.record(until - from);
    from = until;
  }
}

}  // namespace peerpath::platform
