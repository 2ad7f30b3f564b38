// Options of traffic that a NIC sends.
#pragma once

#include <string_view>

#include "traffic/network/config.hpp"

namespace peerpath::scenario::traffic {

/// A NIC sends from host or GPU memory.
struct Transmit : Network {
  static constexpr std::string_view name = "transmit";
};

}  // namespace peerpath::scenario::traffic
