// Options of a PCIe switch.
#pragma once

#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"
#include "peerpath/pcie/routing.hpp"

namespace peerpath::device {

/// A PCIe switch, or one level of it.
struct SwitchConfig {
  Duration latency = 110ns;
  Bytes max_payload_supported = 512_B;
  std::vector<pcie::AcsControl> acs{pcie::AcsControl::none};

  static constexpr auto fields() {
    return std::tuple{
        field("latency", &SwitchConfig::latency,
              "Cut-through latency, from the first symbol in to the first symbol out")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("typical Gen4/Gen5 switch product briefs: 105..115 ns"),
        field("max_payload_supported", &SwitchConfig::max_payload_supported, "Largest MPS that its ports support")
            .at_least(128_B)
            .at_most(4096_B),
        field("acs", &SwitchConfig::acs,
              "ACS controls enabled in its downstream ports: RR CR UF SV TB EC DT; EC blocks all peer requests")};
  }
};

}  // namespace peerpath::device
