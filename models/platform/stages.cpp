#include "platform/stages.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::platform {

std::vector<observe::StageResult> receive_stages() {
  return {{"pipeline", "From the last bit on the wire until the NIC has parsed the frame", {}},
          {"descriptor", "In the FIFO until buffer descriptors are available", {}},
          {"dma", "DMA writes until the last byte is in memory: queues, credits, address translation and transit", {}},
          {"writeback", "Until its completion entry is in host memory", {}},
          {"moderation", "Until the interrupt, which moderation may delay", {}},
          {"driver", "Interrupt, wake-up, the core's queue, driver and protocol; for bounced payload, the copies", {}}};
}

std::vector<observe::StageResult> transmit_stages() {
  return {{"post", "From the application through the driver to its doorbell; for bounced payload, the copies", {}},
          {"descriptor", "Doorbell, descriptor read, and waiting for space in the transmit FIFO", {}},
          {"dma", "DMA reads until the last byte is in the NIC: queues, credits, address translation and transit", {}},
          {"writeback", "Until its completion entry is in host memory", {}},
          {"moderation", "Until the interrupt, which moderation may delay", {}},
          {"driver", "Interrupt, the core's queue, and the driver's processing of the completion", {}}};
}

void record_packet(std::vector<observe::StageResult>& stages, std::span<const Instant> moments) {
  require(moments.size() == stages.size() + 1, "a stage needs a beginning and an end");
  const Instant last = moments.back();
  Instant from = moments.front();
  for (std::size_t n = 0; n < stages.size(); ++n) {
    const Instant until = n + 1 == stages.size() ? last : std::clamp(moments[n + 1], from, std::max(from, last));
    stages[n].time.record(until - from);
    from = until;
  }
}

}  // namespace peerpath::platform
