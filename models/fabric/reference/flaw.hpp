// Deliberate mistakes, to show that the differential test would find them.
#pragma once

#include <array>
#include <cstdint>

#include "peerpath/base/field.hpp"

namespace peerpath::fabric {

/// One mistake that a flawed reference makes.
enum class Flaw : std::uint8_t {
  none,
  round_robin,   ///< turns go by slot order, not to the slot that has waited longest since its last start
  credits,       ///< every receiver seems to have one header credit more than it advertises
  ordering,      ///< completions pass posted TLPs
  routes,        ///< a completion takes the way of a request
  replay,        ///< a replay starts at once
  weights,       ///< every queue has one turn
  channels,      ///< VC 0 always goes before VC 1
  idles,         ///< a line stays idle for a while after each TLP
  shared_queue,  ///< one FIFO of each ingress and class for all ways out of its router
  spoofs,        ///< a request with a wrong requester ID takes the way of any other
};

constexpr std::array<EnumName<Flaw>, 11> enum_names(Flaw) {
  return {{{"none", Flaw::none},
           {"round_robin", Flaw::round_robin},
           {"credits", Flaw::credits},
           {"ordering", Flaw::ordering},
           {"routes", Flaw::routes},
           {"replay", Flaw::replay},
           {"weights", Flaw::weights},
           {"channels", Flaw::channels},
           {"idles", Flaw::idles},
           {"shared_queue", Flaw::shared_queue},
           {"spoofs", Flaw::spoofs}}};
}

}  // namespace peerpath::fabric
