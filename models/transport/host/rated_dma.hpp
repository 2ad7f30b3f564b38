// A host's memory as rates and latencies, for a NIC that asks as it asks a fabric that is simulated.
#pragma once

#include "transport/host/host_dma.hpp"
#include "transport/host/rated_memory.hpp"

namespace peerpath::transport {

/// Rates are of what is written and read. Nothing is computed ahead.
class RatedDma final : public HostDma {
 public:
  explicit RatedDma(const HostRates& rates) : memory_{rates} {}

  Duration latency() const override { return {}; }
  Bytes transmit_buffer() const override { return memory_.rates().transmit_buffer; }
  void write(Bytes size, Instant now) override;
  void read(Bytes size, Instant now) override;
  void advance(Instant) override {}

 private:
  struct Held {
    Bytes size{};
    Instant out{};
  };

  RatedMemory memory_;
  Ring<Held> held_;
  std::int64_t held_bytes_ = 0;
  Instant last_written_{}, last_fetched_{};
};

}  // namespace peerpath::transport
