// How long an access takes in a domain where nothing else happens.
#pragma once

#include "peerpath/base/time.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::sc {

struct UnloadedLatency {
  Duration read{};   ///< asked to answered
  Duration write{};  ///< asked to arrived
};

/// Of 64 B: found by a fabric of its own, without gates. An external completer adds what it takes itself.
UnloadedLatency unloaded_latency(const fabric::Topology& topology, fabric::NodeId from, fabric::NodeId to);

}  // namespace peerpath::sc
