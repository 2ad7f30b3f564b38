// What holds the data of a drive: flash, its channels and the controller's firmware, as one server.
#pragma once

#include "core/host/booked_time.hpp"
#include "devices/nvme/config.hpp"
#include "devices/nvme/queue_pair.hpp"

namespace peerpath::nvme {

/// Commands take turns, first come first; each takes the longer of its bytes at the rate and of 1 / IOPS. Its latency
/// overlaps with the turns of others. So what many commands of n bytes reach is min(rate, n * IOPS), and what a
/// submitter with q in flight reaches at most is q * n / (latency + n / rate): Little's law.
class Medium {
 public:
  explicit Medium(const device::NvmeConfig& config) : config_{config} {}

  /// When the bytes of a command are there (read), or kept (write).
  struct Turn {
    Instant first{};  ///< turn and latency over
    BitRate rate{};   ///< byte n is there at first + n / rate
    Instant at(Bytes n) const { return first + n / rate; }
  };
  /// A command that the medium can begin at `now`.
  Turn take(Opcode opcode, Bytes size, Instant now);

  /// How long turns took, from the start until `now`.
  Duration busy_until(Instant now) const { return busy_.until(now); }

 private:
  device::NvmeConfig config_;
  Instant free_{};
  host::BookedTime busy_;
};

}  // namespace peerpath::nvme
