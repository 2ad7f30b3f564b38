// When the frames or transfers of a source come, at a mean rate.
#pragma once

#include <array>

#include "peerpath/base/field.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::transport {

/// How arrivals scatter about the mean rate.
enum class Arrival : std::uint8_t {
  regular,   ///< each exactly when the rate says
  jittered,  ///< each uniformly within its own interval: neither order nor mean rate change
  poisson,   ///< independent exponential distances
  burst,     ///< so many at once, then silence for as long as they take at the mean rate
};

constexpr std::array<EnumName<Arrival>, 4> enum_names(Arrival) {
  return {{{"regular", Arrival::regular},
           {"jittered", Arrival::jittered},
           {"poisson", Arrival::poisson},
           {"burst", Arrival::burst}}};
}

/// The instants at which the things of one source are to start. A thing of n bytes takes n / rate of the mean's time.
class ArrivalProcess {
 public:
  struct Config {
    BitRate rate{};
    Arrival law = Arrival::regular;
    int burst = 32;
    Instant start{};
  };

  ArrivalProcess(const Config& config, Random random) : config_{config}, random_{random} {}

  /// Start of the next thing, of `bytes`; never before the one before it. Exact: rounding does not add up.
  Instant next(Bytes bytes);

 private:
  /// Whole femtoseconds, and what is left of one in units of 1 / rate.
  struct Exact {
    std::int64_t whole = 0, rest = 0;
  };

  Instant nominal() const { return config_.start + Duration{sent_.whole + (sent_.rest > 0 ? 1 : 0)}; }
  void send(Bytes bytes);

  Config config_;
  Random random_;
  Exact sent_{};  ///< what all before this one take at the mean rate
  Bytes step_bytes_{};
  Exact step_{};      ///< what `step_bytes_` take, for sizes repeat
  int in_burst_ = 0;  ///< of the present burst
  Instant burst_start_{};
  Duration drawn_{};  ///< sum of the exponential distances
};

}  // namespace peerpath::transport
