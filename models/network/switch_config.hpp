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
        field("buffer", &C::buffer, "Packet memory that all ports share").at_least(Bytes{65536}),
        field("alpha_log2", &C::alpha_log2,
              "Dynamic threshold of a lossless priority at one ingress port: it is paused above 2^alpha_log2 times the "
              "free shared buffer")
            .at_least(-10)
            .at_most(8)
            .from("HPCC's simulation: 1/8"),
        field("lossy_alpha_log2", &C::lossy_alpha_log2,
              "The same of a lossy priority at one egress port: above it packets are dropped")
            .at_least(-10)
            .at_most(8)
            .from("assumed"),
        field("reserve", &C::reserve, "Guaranteed to each priority of each ingress port").at_least(0_B),
        field("headroom", &C::headroom,
              "Behind the threshold, for each lossless priority of each ingress port: what is still on its way when it "
              "is paused; absent: what its rate and delay ask for")
            .at_least(0_B),
        field("resume_offset", &C::resume_offset, "A paused port is resumed this much below the threshold")
            .at_least(0_B)
            .from("HPCC's simulation"),
        field("lossless", &C::lossless, "Priorities with PFC, 0 to 7; the others drop"),
        field("ecn_min", &C::ecn_min, "Egress queue up to which nothing is marked (Kmin), at `ecn_rate`")
            .at_least(0_B)
            .from("HPCC's simulation"),
        field("ecn_max", &C::ecn_max, "Egress queue above which everything is marked (Kmax), at `ecn_rate`")
            .at_least(0_B)
            .from("HPCC's simulation"),
        field("ecn_max_probability", &C::ecn_max_probability, "Share that is marked at Kmax; linear between the two")
            .at_least(0.0)
            .at_most(1.0)
            .from("HPCC's simulation"),
        field("ecn_rate", &C::ecn_rate,
              "Port rate that Kmin and Kmax are given for; they grow with the rate of the port")
            .at_least(1_Gbps),
        field("weights", &C::weights,
              "Of the eight priorities in deficit round robin, 0: strict, before all others and higher numbers first; "
              "absent: all strict"),
        field("latency", &C::latency, "Last bit in to ready to leave (the switch stores and forwards)")
            .at_most(std::chrono::milliseconds{1})
            .from("assumed"),
        field("pfc_reaction", &C::pfc_reaction, "Pause frame in to transmitter stopped")
            .at_most(std::chrono::milliseconds{1})
            .from("assumed"),
        field("path", &C::path, "Choice among equal-cost ports"),
        field(
            "flowlet_gap", &C::flowlet_gap,
            "path flowlet: a flow that has been idle for longer at a switch draws a way anew. Packets stay in order if "
            "it is above what delays of ways differ by")
            .at_most(std::chrono::seconds{1})
            .from("CONGA's testbed"),
        field("convergence", &C::convergence, "Link failed or back to routes without or with it")
            .at_most(std::chrono::seconds{10})
            .from("assumed")};
  }

  bool is_lossless(int priority) const {
    for (const int p : lossless)
      if (p == priority) return true;
    return false;
  }
};

}  // namespace peerpath::network
