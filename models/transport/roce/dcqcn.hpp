// DCQCN: how fast a sender may go that hears of congestion (Y. Zhu et al., SIGCOMM 2015).
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::roce {

/// Sets of parameters that are in use.
enum class DcqcnSet : std::uint8_t {
  off,           ///< line rate
  original,      ///< Zhu 2015 with 55 us and 50 us, as HPCC's evaluation takes it
  vendor,        ///< 300 us and 4 us: the vendor's default according to HPCC
  conservative,  ///< 900 us and 4 us, HPCC
};
constexpr std::array<EnumName<DcqcnSet>, 4> enum_names(DcqcnSet) {
  return {{{"off", DcqcnSet::off},
           {"original", DcqcnSet::original},
           {"vendor", DcqcnSet::vendor},
           {"conservative", DcqcnSet::conservative}}};
}

/// Values of one sender (the reaction point) and one receiver (the notification point).
struct DcqcnParameters {
  bool enabled = false;
  Duration increase_period{};   ///< Ti: time between two increases
  Duration decrease_period{};   ///< Td: least time between two cuts
  Duration alpha_period{};      ///< after which alpha is updated
  Duration cnp_period{};        ///< least time between two CNPs of one queue pair
  std::int64_t gain_q16 = 256;  ///< g, in 2^-16
  int fast_recovery = 1;        ///< F: increases that only halve the distance to the target
  BitRate additive{}, hyper{};  ///< steps of the target
  BitRate least{};
};

/// A set, for a port of `line`. Steps grow with the rate of the port, 5 and 50 Mb/s at 25 Gb/s; g 1/256; F 1; least
/// rate 100 Mb/s: HPCC (section 5.1 and simulation/run.py).
DcqcnParameters parameters(DcqcnSet set, BitRate line);

/// The rate of one queue pair. It is asked for at any time not before the last one; what its timers would have done
/// until then is done then.
class DcqcnRate {
 public:
  DcqcnRate(const DcqcnParameters& parameters, BitRate line)
      : parameters_{parameters}, line_{line}, rate_{line}, target_{line} {}

  /// A congestion notification packet has come in.
  void notify(Instant now);
  BitRate at(Instant now) {
    if (limited_) advance(now);
    return rate_;
  }
  std::int64_t notifications() const { return notifications_; }
  std::int64_t alpha_q32() const { return alpha_q32_; }

 private:
  void advance(Instant now);
  void cut(Instant now);
  void increase();

  DcqcnParameters parameters_;
  BitRate line_, rate_, target_;
  std::int64_t alpha_q32_ = std::int64_t{1} << 32;  ///< 2^-32: small values must grow again from little
  Instant next_alpha_ = never, next_increase_ = never, next_cut_{};
  int stage_ = 0;
  bool limited_ = false, heard_ = false, cut_waits_ = false;
  std::int64_t notifications_ = 0;
};

/// When a receiver tells a sender of marked packets: at the first one, then not before the period is over.
class CongestionNotifier {
 public:
  /// Whether a packet that was marked causes a CNP.
  bool marked(Instant now, Duration period) {
    if (now < next_) return false;
    next_ = now + period;
    return true;
  }

 private:
  Instant next_{};
};

}  // namespace peerpath::roce
