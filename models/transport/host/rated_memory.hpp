// The memory of a host as rates and latencies.
#pragma once

#include <algorithm>

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::transport {

/// Receiving (`drain`) and sending (`fetch`) may share a limit (`together`), and each may be slower beside the other
/// one where that has a backlog (`..._beside`). Rates are of bytes as the caller counts them.
struct HostRates {
  BitRate drain{};  ///< at which its memory takes in what arrives; 0: at once, and no other rate counts
  BitRate fetch{};  ///< at which its NIC gets data out of memory; likewise
  BitRate drain_beside{}, fetch_beside{};
  BitRate together{};       ///< 0: no limit
  BitRate fetch_burst{};    ///< of what is sent in bursts beside a backlog of what arrives; 0: as what goes on
  BitRate burst_toll{};     ///< the time that each byte of a burst takes from memory's taking in, as a rate; 0: none
  Duration latency{};       ///< how much later than in its NIC a whole message is in its memory
  Duration send_latency{};  ///< from asking for a packet's data to having it
  Duration latency_beside{}, send_latency_beside{};
  Bytes transmit_buffer{};  ///< of data that the NIC asks for ahead of the wire; 0: it gets data at once
};

/// Keeps the time up to which each way is busy.
class RatedMemory {
 public:
  RatedMemory() = default;
  explicit RatedMemory(const HostRates& rates) : rates_{rates} {}
  const HostRates& rates() const { return rates_; }

  /// When so many bytes, behind all before them, have left the NIC for memory.
  Instant drain(Bytes bytes, Instant now);
  /// The last of them waits so long, and what follows waits behind it. Returns when it has left the NIC.
  Instant wait(Duration time, Instant now) { return drained_ = std::max(drained_, now) + time; }
  /// When all that has left the NIC is in memory.
  Instant placed(Instant now) const {
    return std::max(now, drained_) + (sends_much(now) ? rates_.latency_beside : rates_.latency);
  }
  /// When so many bytes, behind all before them, are in the NIC. `held`: bytes there that wait for memory.
  Instant fetch(Bytes bytes, std::int64_t held, Instant now);

 private:
  static constexpr std::int64_t backlog = 64 << 10;
  static constexpr std::int64_t longest_burst = 128 << 10;  ///< more without a pause is a backlog
  void fetch_burst(Bytes bytes, Instant now);
  Duration shared_time(Bytes bytes, BitRate own, bool both) const;
  bool sends_much(Instant now) const { return fetched_ > now && fetching_ > longest_burst; }

  HostRates rates_{};
  Instant drained_{}, fetched_{};                ///< when all that came is in memory, and all that went is out of it
  Instant shared_drained_{}, shared_fetched_{};  ///< likewise, as far as both ways share a limit
  std::int64_t fetching_ = 0;                    ///< bytes without a pause
};

}  // namespace peerpath::transport
