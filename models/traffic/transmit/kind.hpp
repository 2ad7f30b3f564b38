// The trait of the kind transmit.
#pragma once

#include <cstdint>

#include "traffic/network/kind.hpp"
#include "traffic/transmit/config.hpp"

namespace peerpath::scenario::traffic {

inline constexpr auto stages_of_transmit =
    with_network_stages({"stage", "post", "the driver, and the copies of bounced payload.",
                         "the driver accepts the packet", "its doorbell leaves"});

template <>
struct Kind<Transmit> : NetworkKind {
  static constexpr bool pulls = true;
  static constexpr bool repeats = false;
  static std::int64_t ahead(const Transmit& transmit, std::int64_t together, const Device* from);
  static std::span<const StageText> stages() { return stages_of_transmit; }
  static void check_all(TrafficCheck& check);
  static void plan_window(const Transmit& transmit, const Scenario& scenario, std::size_t entry, Bar1Plan& plan);

  static void check(const Transmit& transmit, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
