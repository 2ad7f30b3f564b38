// How fast a NIC takes work requests.
#pragma once

#include <algorithm>

#include "peerpath/base/time.hpp"

namespace peerpath::roce {

/// Rates are of messages, whatever their size; 0: no limit.
struct WorkRates {
  int messages = 0;     ///< per second, by all queue pairs of a NIC
  int qp_messages = 0;  ///< per second, by one queue pair
  Duration fetch{};     ///< read of a request from host memory; requests posted together are read together
};

/// Spaces the messages of a NIC or of a queue pair.
class MessagePacer {
 public:
  /// No message begins before.
  Instant next() const { return next_; }
  /// One begins. Being late does not earn a burst.
  void begin(int rate, Instant now) {
    if (rate > 0) next_ = std::max(next_, now) + Duration{second / rate};
  }

 private:
  static constexpr std::int64_t second = 1'000'000'000'000'000;
  Instant next_{};
};

}  // namespace peerpath::roce
