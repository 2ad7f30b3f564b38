// What a switch does with its buffer, and how it marks, pauses and schedules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "network/path_choice.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::network {

using namespace literals;

/// A switch with one buffer for all ports. Defaults: HPCC's ns-3 (alpha 1/8, 4 KiB reserve, 3 KB resume offset; buffer
/// sizes between 12 and 32 MB).
struct SwitchConfig {
  Bytes buffer{32'000'000};
  int alpha_log2 = -3;
  int lossy_alpha_log2 = 0;
  Bytes reserve = 4_KiB;
  std::optional<Bytes> headroom{};
  Bytes resume_offset{3072};
  std::vector<int> lossless{3};
  Bytes ecn_min{100'000};
  Bytes ecn_max{400'000};
  double ecn_max_probability = 0.2;
  BitRate ecn_rate{25'000'000'000};
  std::vector<int> weights{};
  Duration latency = std::chrono::nanoseconds{300};
  Duration pfc_reaction = std::chrono::nanoseconds{100};
  PathChoice path = PathChoice::ecmp;
  Duration flowlet_gap = std::chrono::microseconds{500};
  Duration convergence = std::chrono::milliseconds{50};

  static constexpr auto fields() {
    using C = SwitchConfig;
    return std::tuple{
        field("buffer", &C::buffer, "Packet buffer shared by all ports").at_least(Bytes{65536}).at_most(64_GiB),
        field("alpha_log2", &C::alpha_log2,
              "Dynamic PFC threshold of a lossless priority at an ingress port: pause above 2^alpha_log2 times the "
              "free shared buffer")
            .at_least(-10)
            .at_most(8)
            .from("HPCC's simulation: 1/8"),
        field("lossy_alpha_log2", &C::lossy_alpha_log2,
              "Dynamic threshold of a lossy priority at an egress port: drop above 2^lossy_alpha_log2 times the free "
              "shared buffer")
            .at_least(-10)
            .at_most(8)
            .from("assumed"),
        field("reserve", &C::reserve, "Buffer guaranteed to each priority of each ingress port")
            .at_least(0_B)
            .at_most(64_GiB),
        field("headroom", &C::headroom,
              "Buffer of each ingress port for packets that arrive after it has paused a priority, for each lossless "
              "priority that carries data. Absent: computed from the rate and the delay of the port's cable")
            .at_least(0_B)
            .at_most(64_GiB),
        field("resume_offset", &C::resume_offset, "Distance below the pause threshold at which a port is resumed")
            .at_least(0_B)
            .at_most(64_GiB)
            .from("HPCC's simulation"),
        field("lossless", &C::lossless, "Priorities with PFC, 0 to 7; all others are lossy"),
        field("ecn_min", &C::ecn_min,
              "Kmin: egress queue length up to which no packet is marked, for ports of `ecn_rate`")
            .at_least(0_B)
            .at_most(64_GiB)
            .from("HPCC's simulation"),
        field("ecn_max", &C::ecn_max,
              "Kmax: egress queue length above which every packet is marked, for ports of `ecn_rate`")
            .at_least(0_B)
            .at_most(64_GiB)
            .from("HPCC's simulation"),
        field("ecn_max_probability", &C::ecn_max_probability, "Marking probability at Kmax; linear from 0 at Kmin")
            .at_least(0.0)
            .at_most(1.0)
            .from("HPCC's simulation"),
        field("ecn_rate", &C::ecn_rate, "Port rate that Kmin and Kmax refer to; both scale with the port rate")
            .at_least(1_Gbps),
        field("weights", &C::weights,
              "Weights of the eight priorities in deficit round robin. 0: strict priority over weighted ones, higher "
              "numbers first; absent: all strict"),
        field("latency", &C::latency, "Store-and-forward latency, from the last bit in to ready for transmission")
            .at_most(std::chrono::milliseconds{1})
            .from("assumed"),
        field("pfc_reaction", &C::pfc_reaction, "Time from a received pause frame until the transmitter stops")
            .at_most(std::chrono::milliseconds{1})
            .from("assumed"),
        field("path", &C::path, "Selection among equal-cost ports"),
        field("flowlet_gap", &C::flowlet_gap,
              "path `flowlet`: idle time of a flow at a switch after which it may take another path. Packets stay in "
              "order if it exceeds the delay differences between paths")
            .at_most(std::chrono::seconds{1})
            .from("CONGA's testbed"),
        field("convergence", &C::convergence, "Time from a link failure or recovery to updated routes")
            .at_most(std::chrono::seconds{10})
            .from("assumed")};
  }

  bool is_lossless(int priority) const {
    for (const int p : lossless)
      if (p == priority) return true;
    return false;
  }
};

inline constexpr Bytes pause_frame_size{60};

/// Packet memory that an ingress port needs for each lossless priority: the frame that passes the threshold, and the
/// bytes that may arrive after the decision to pause (IEEE 802.1Q annex N). A frame that has begun delays the pause
/// frame here and the stop at the other end; both directions of the cable, the pause frame and the reaction to it are
/// added.
std::int64_t headroom_of(const SwitchConfig& config, BitRate rate, Duration delay);
/// Bytes of the buffer that ports do not share: reserves of all priorities, and headroom. `headroom`: by port.
std::int64_t set_aside(const SwitchConfig& config, const std::vector<std::int64_t>& headroom);

}  // namespace peerpath::network
